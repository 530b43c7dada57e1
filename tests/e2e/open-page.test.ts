import { expect, it, onTestFinished } from "vitest";
import { serveHttp } from "#scripts/lab/http-server.ts";
import { launchBrowser } from "../helpers/browser.ts";
import { openPage, WIDE } from "../helpers/page-checks.ts";
import { watchUncaught } from "../helpers/watch-uncaught.ts";

it("a page that is closed while it still asks for something fails nothing, whatever its handler does then", async () => {
  const uncaught = watchUncaught();
  const { origin, close: closeServer } = await serveHttp(({ url }, response) => {
    response.setHeader("content-type", "text/html");
    response.end(url === "/" ? "<script>for (let n = 0; n < 20; n++) fetch('/asked/' + n)</script>" : "");
  });
  onTestFinished(closeServer);
  const browser = await launchBrowser();
  onTestFinished(() => browser.close());
  const { page, close } = await openPage(browser, origin, WIDE);
  const closed = Promise.withResolvers<void>();
  let [asked, ended] = [0, 0];
  await page.route("**/asked/*", async (route) => {
    asked++;
    try {
      await closed.promise;
      await page.keyboard.press("n");
      await route.continue();
    } finally {
      ended++;
    }
  });
  await page.goto(origin);
  await expect.poll(() => asked).toBeGreaterThan(0);
  await close();
  closed.resolve();
  await expect.poll(() => ended).toBe(asked);
  await browser.close();
  expect(uncaught).toEqual([]);
});
