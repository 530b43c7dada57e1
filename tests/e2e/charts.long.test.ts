// Guards: components/charts/**, components/overview/**, components/status/**, components/ui/range-form.tsx, app/(dashboard)/overview/**, app/(dashboard)/logs/**, pages/status.tsx, server/overview/**, server/lists/range-query.ts, domain/range-*.ts, domain/punctuality.ts
import type { Page } from "@playwright/test";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encodeId } from "#domain/ids.ts";
import { type FiguresHarness, type SignedIn, startFiguresHarness } from "#tests/helpers/figures-harness.ts";
import { accessibilityProblems, WIDE } from "#tests/helpers/page-checks.ts";

const HOUR_MS = 3_600_000;

let harness: FiguresHarness;
let account: SignedIn;

beforeAll(async () => {
  harness = await startFiguresHarness();
  await harness.fillPublic();
  account = await harness.account("indie");
  // Three in this hour, two in the one before, one five hours ago.
  for (const hoursAgo of [0, 0, 0, 1, 1, 5]) {
    const at = Math.floor(Date.now() / HOUR_MS - hoursAgo) * HOUR_MS + 1;
    await harness.attempt(await harness.schedule(account), new Date(at));
  }
});
afterAll(() => harness?.stop());

const tapeOf = (page: Page) => page.getByRole("group", { name: "Each hour", exact: true }).getByRole("link");
const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? "");
const rows = (page: Page) => page.locator("tbody tr").count();

describe("a chart of the overview", () => {
  it.each([true, false])(
    "shows its figures when pointed at, and leads to exactly its requests, with scripts %s",
    async (scripts) => {
      for (const [at, sent] of [1, 2, 3].entries()) {
        const { page, close } = await harness.open("/overview", { ...WIDE, scripts }, account);
        const link = tapeOf(page).nth(at);
        expect(await link.getAttribute("aria-label")).toMatch(new RegExp(`: ${sent} sent, p50 \\+3 ms, p95 \\+3 ms$`));
        const reading = page.getByText(`${sent} sent`, { exact: true }).first();
        expect(await reading.isVisible()).toBe(false);
        await link.hover();
        await reading.waitFor();
        // axe waits for timers, which do not run without scripts.
        if (scripts) expect(await accessibilityProblems(page)).toEqual([]);
        await link.click();
        await page.waitForURL("**/logs?**");
        expect(await rows(page)).toBe(sent);
        await close();
      }
    },
  );

  it("is one stop of the keyboard, gone through by arrow keys, and brushed with Shift", async () => {
    const { page, complaints, close } = await harness.open("/overview", WIDE, account);
    await tapeOf(page).first().focus();
    await page.keyboard.press("End");
    expect(await focused(page)).toMatch(/: 3 sent/);
    await page.keyboard.press("ArrowLeft");
    expect(await focused(page)).toMatch(/: 2 sent/);
    await page.keyboard.press("Tab");
    expect(await focused(page)).not.toMatch(/ sent/);
    await page.keyboard.press("Shift+Tab");
    expect(await focused(page)).toMatch(/: 2 sent/);
    await page.keyboard.press("Shift+ArrowRight");
    await page
      .getByRole("status")
      .filter({ hasText: /: 5 sent$/ })
      .waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/overview?from=**");
    expect(await tapeOf(page).count()).toBe(2);
    expect(await page.getByLabel("Range of time, in words (UTC)").inputValue()).toMatch(/ to /);
    expect(complaints).toEqual([]);
    await close();
  });

  it("is brushed by dragging, and the range goes along to the log", async () => {
    const { page, close } = await harness.open("/overview", WIDE, account);
    const [from, to] = [await tapeOf(page).nth(1).boundingBox(), await tapeOf(page).nth(2).boundingBox()];
    if (!from || !to) throw new Error("expected two drawn hours");
    await page.mouse.move(from.x + 2, from.y + 40);
    await page.mouse.down();
    await page.mouse.move(to.x + 5, to.y + 60, { steps: 3 });
    await page.mouse.up();
    await page.waitForURL("**/overview?from=**");
    await page.getByRole("link", { name: /^Attempts\s*5/ }).click();
    await page.waitForURL("**/logs?from=**");
    expect(await rows(page)).toBe(5);
    expect(await page.getByLabel("Sent, in words (UTC)").inputValue()).toMatch(/ to /);
    await close();
  });

  it("shows its figures to the first touch, and opens at the second", async () => {
    const context = await harness.browser.newContext({ hasTouch: true, viewport: { width: 320, height: 900 } });
    await context.addCookies([{ name: "sw_session", value: account.token, url: harness.origin }]);
    const page = await context.newPage();
    await page.goto(`${harness.origin}/overview`, { waitUntil: "networkidle" });
    await tapeOf(page).first().tap();
    await page.getByText("1 sent", { exact: true }).first().waitFor();
    expect(new URL(page.url()).pathname).toBe("/overview");
    await tapeOf(page).first().tap();
    await page.waitForURL("**/logs?**");
    await context.close();
  });
});

it("the overview of a range in words, and of words that are none", async () => {
  const { page, close } = await harness.open("/overview", WIDE, account);
  const field = page.getByLabel("Range of time, in words (UTC)");
  await field.fill("last 2 hours");
  await field.press("Enter");
  await page.waitForURL("**range=last+2+hours**");
  await page
    .getByText("One first attempt was sent.")
    .or(page.getByText(/Half of 5 first attempts/))
    .waitFor();
  await field.fill("apples");
  await field.press("Enter");
  await page.waitForURL("**range=apples**");
  await page.getByText("This range is not understood.").waitFor();
  expect(await field.inputValue()).toBe("apples");
  await close();
});

it("a quarter of the public day answers with its row of the table, without scripts too", async () => {
  for (const scripts of [true, false]) {
    const { page, close } = await harness.open("/status", { ...WIDE, scripts });
    const quarter = page.getByRole("group", { name: "Each quarter of an hour" }).getByRole("link").first();
    await quarter.focus();
    await page.keyboard.press("Enter");
    await page.waitForURL("**#from-**");
    await page.locator("tr:target").waitFor();
    await close();
  }
});

it.each(["no-preference", "reduce"] as const)(
  "a request that fires while its page is open travels to its mark; motion %s",
  async (motion) => {
    const id = await harness.schedule(account);
    const context = await harness.browser.newContext({ reducedMotion: motion });
    await context.addCookies([{ name: "sw_session", value: account.token, url: harness.origin }]);
    const page = await context.newPage();
    await page.addInitScript(() => {
      const { animate } = Element.prototype;
      Element.prototype.animate = function (...given) {
        document.documentElement.dataset.moved = `${Number(document.documentElement.dataset.moved ?? 0) + 1}`;
        return animate.apply(this, given);
      };
    });
    await page.goto(`${harness.origin}/schedules/${encodeId("sch", id)}`, { waitUntil: "networkidle" });
    const moved = () => page.evaluate(() => document.documentElement.dataset.moved ?? "0");
    expect(await moved()).toBe("0");
    await harness.attempt(id, new Date());
    await page.getByRole("img", { name: /^The first attempt was sent/ }).waitFor();
    // The bar, the mark and its figure.
    if (motion === "reduce") expect(await moved()).toBe("0");
    else await expect.poll(moved).toBe("3");
    await context.close();
  },
);
