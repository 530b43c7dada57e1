// Guards: app/**, server/edge/**, server/http/**, db/client*.ts
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { encodeId } from "#domain/ids.ts";
import type { DatabaseProxy } from "#scripts/lab/proxy.ts";
import type { TestAccount } from "#tests/helpers/accounts.ts";
import { type DashboardHarness, startHarnessBehindProxy } from "#tests/helpers/dashboard-harness.ts";
import { besides, expectSound, untilInteractive } from "#tests/helpers/page-checks.ts";

let harness: DashboardHarness;
let proxy: DatabaseProxy;
let account: TestAccount;

beforeAll(async () => {
  ({ harness, proxy } = await startHarnessBehindProxy());
});
afterAll(() => harness?.stop());
beforeEach(async () => {
  // Otherwise a page could meet a connection that the test before left silent, and would not load.
  proxy.heal();
  account = await harness.dispatch.account();
});

const stored = async () => {
  const [row] = await harness.sql`SELECT count(*)::integer AS n FROM schedules WHERE account_id = ${account.id}`;
  return row?.n;
};

it("the log and a schedule say that they did not load, with the request's id", async () => {
  const id = encodeId(
    "sch",
    await harness.dispatch.schedule(account, "https://example.com/", new Date(Date.now() + 9e6)),
  );
  for (const path of ["/logs?outcome=failed", `/schedules/${id}`]) {
    const { page, complaints, close } = await harness.open(account, path);
    proxy.set("reset");
    await page.reload();
    await page.getByRole("heading", { name: "This page did not load" }).waitFor();
    expect(await page.getByRole("main").textContent()).toMatch(/Request req_[0-9a-f]{32}/);
    await expectSound(page, besides(503, complaints));
    proxy.set("pass");
    await page.getByRole("link", { name: "Try again" }).click();
    await page.waitForURL(`${harness.origin}${path}`);
    await page
      .getByRole("navigation", { name: "Main" })
      .or(page.getByRole("button", { name: "Menu" }))
      .first()
      .waitFor();
    await close();
  }
});

it.each(["reset", "drop replies"] as const)(
  "a new schedule is kept in its form, and stored once when the form is sent again: %s",
  async (fault) => {
    const { page, complaints, close } = await harness.open(account, "/schedules/new");
    await untilInteractive(page);
    await page.getByLabel("URL", { exact: true }).fill("https://example.com/x");
    await page.getByLabel("Payload", { exact: true }).fill("{}");
    proxy.set(fault);
    const send = () => page.getByRole("main").getByRole("button", { name: "Schedule it" }).click();
    await send();
    await page.getByText("Press again: it is scheduled once.").waitFor();
    expect(await page.getByLabel("Payload", { exact: true }).inputValue()).toBe("{}");
    proxy.set("pass");
    await send();
    await page.waitForURL(/\/schedules\/sch_\w+$/);
    expect(await stored()).toBe(1);
    // A connection that the fault left silent may still delay a read of the next page, and others of the account behind it.
    expect(besides(429, besides(503, complaints))).toEqual([]);
    await close();
  },
);

it("a cancel during the outage changes nothing, and the page of the schedule says so once the database is back", async () => {
  const uuid = await harness.dispatch.schedule(account, "https://example.com/", new Date(Date.now() + 9e6));
  const { page, close } = await harness.open(account, `/schedules/${encodeId("sch", uuid)}/cancel`);
  proxy.set("reset");
  await page.getByRole("button", { name: "Cancel it" }).click();
  await page.getByRole("heading", { name: "This page did not load" }).waitFor();
  proxy.set("pass");
  await page.getByRole("link", { name: "Try again" }).click();
  await page.getByText("Not cancelled. The database could not do this now. Try again.").waitFor();
  expect((await harness.dispatch.read(uuid)).status).toBe("scheduled");
  await close();
});

it("a page that did not load after a form shows the form's result once the database is back", async () => {
  const uuid = await harness.dispatch.schedule(account, "https://example.com/", new Date(Date.now() + 9e6));
  const path = `/schedules/${encodeId("sch", uuid)}`;
  const { page, close } = await harness.open(account, `${path}/cancel`, {
    theme: "light",
    width: 1280,
    scripts: false,
  });
  // The outage begins before the browser has the answer, which leads it to the page.
  await page.route("**/cancel/confirm", async (route) => {
    const response = await route.fetch({ maxRedirects: 0 });
    proxy.set("reset");
    await route.fulfill({ response });
  });
  await page.getByRole("button", { name: "Cancel it" }).click();
  await page.getByRole("heading", { name: "This page did not load" }).waitFor();
  proxy.set("pass");
  await page.getByRole("link", { name: "Try again" }).click();
  await page.getByRole("status").filter({ hasText: "Cancelled." }).waitFor();
  await page.reload();
  await page.getByRole("heading", { level: 1 }).waitFor();
  expect(await page.getByRole("status").filter({ hasText: "Cancelled." }).count()).toBe(0);
  await close();
});
