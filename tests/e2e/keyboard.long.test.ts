// Guards: components/**, app/(dashboard)/schedules/**
import type { Locator, Page } from "@playwright/test";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { TestAccount } from "#tests/helpers/accounts.ts";
import { type DashboardHarness, startDashboardHarness } from "#tests/helpers/dashboard-harness.ts";
import { WIDE } from "#tests/helpers/page-checks.ts";

let harness: DashboardHarness;
let account: TestAccount;

beforeAll(async () => {
  harness = await startDashboardHarness();
});
afterAll(() => harness?.stop());
beforeEach(async () => {
  account = await harness.dispatch.account();
});

const TABS_MAX = 80;

const hasFocus = (target: Locator) => target.evaluate((element) => element === document.activeElement);

/** Presses Tab until `target` has the focus. */
async function tabTo(page: Page, target: Locator) {
  await target.waitFor();
  for (let pressed = 0; pressed < TABS_MAX; pressed++) {
    await page.keyboard.press("Tab");
    if (await hasFocus(target)) return;
  }
  throw new Error(`${TABS_MAX} presses of Tab did not reach ${target}`);
}

/** Types into a field, in place of what stands there. */
async function type(page: Page, field: Locator, text: string) {
  await tabTo(page, field);
  await page.keyboard.press("Control+a");
  await page.keyboard.type(text);
}

const stored = () => harness.sql`
  SELECT s.status, r.target_url AS url, r.method FROM schedules s JOIN schedule_requests r ON r.schedule_id = s.id
  WHERE s.account_id = ${account.id}`;

const main = (page: Page) => page.getByRole("main");
const link = (page: Page, name: string) => main(page).getByRole("link", { name, exact: true }).first();
const button = (page: Page, name: string) =>
  main(page).getByRole("button", { name, exact: true, includeHidden: false }).first();

describe.each([true, false])("by keyboard alone, with scripts %s:", (scripts) => {
  it("a schedule is created, found in the list, and cancelled", async () => {
    const { page, complaints, close } = await harness.open(account, "/schedules", { ...WIDE, scripts });
    await tabTo(page, link(page, "New schedule"));
    await page.keyboard.press("Enter");
    await page.waitForURL("**/schedules/new");
    await type(page, page.getByLabel("In words"), "in 2h");
    await type(page, page.getByLabel("URL", { exact: true }), "https://example.com/by-keyboard");
    await type(page, page.getByLabel("Payload", { exact: true }), "{}");
    await tabTo(page, button(page, "Schedule it"));
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/schedules\/sch_\w+$/);
    expect(await stored()).toMatchObject([
      { status: "scheduled", url: "https://example.com/by-keyboard", method: "POST" },
    ]);
    await tabTo(page, link(page, "Schedules"));
    await page.keyboard.press("Enter");
    await page.waitForURL("**/schedules");
    await tabTo(page, page.getByRole("button", { name: /^Actions for POST example\.com\/by-keyboard/ }));
    await page.keyboard.press("Enter");
    await tabTo(page, page.getByRole("link", { name: "Cancel", exact: true }));
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Cancel this schedule?" }).waitFor();
    await tabTo(page, button(page, "Cancel this schedule"));
    await page.keyboard.press("Enter");
    await page.getByText("is cancelled. It will not be sent.").waitFor();
    expect(await stored()).toMatchObject([{ status: "cancelled" }]);
    expect(complaints).toEqual([]);
    await close();
  });

  it("a page that a link opens begins at its top, with its title, and with the skip link as the first stop", async () => {
    const { page, close } = await harness.open(account, "/schedules", { ...WIDE, scripts });
    for (const [name, path] of [
      ["Logs", "/logs"],
      ["Usage", "/usage"],
      ["Relay settings", "/relay"],
    ] as const) {
      const entry = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name, exact: true });
      await tabTo(page, entry);
      await page.keyboard.press("Enter");
      await page.waitForURL(`**${path}`);
      expect(await page.title()).toBe(`${name} · Stopwatch`);
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(name);
      expect(await page.evaluate(() => [document.activeElement?.tagName, scrollY])).toEqual(["BODY", 0]);
      await page.keyboard.press("Tab");
      expect(await hasFocus(page.getByRole("link", { name: "Skip to content" }))).toBe(true);
      await page.keyboard.press("Enter");
      await page.keyboard.press("Tab");
      expect(await page.evaluate(() => document.activeElement?.closest("main") !== null)).toBe(true);
    }
    await close();
  });

  it.each([
    {
      path: "/schedules/new",
      label: "URL",
      send: "Schedule it",
      error: "The URL must point to a public host.",
      text: "https://10.0.0.8/x",
    },
    {
      path: "/keys/new",
      label: "Name",
      send: "Create key",
      error: "A name has 1 to 80 characters on one line.",
      text: " ",
    },
  ])(
    "a rejected form has the focus on its errors, and each error links to its field: $path",
    async ({ path, label, send, error, text }) => {
      const { page, complaints, close } = await harness.open(account, path, { ...WIDE, scripts });
      const field = page.getByLabel(label, { exact: true });
      await type(page, field, text);
      await tabTo(page, button(page, send));
      await page.keyboard.press("Enter");
      const summary = main(page).getByRole("alert");
      await summary.getByRole("link", { name: error }).waitFor();
      const focused = () =>
        summary.evaluate((element) => document.activeElement?.contains(element) && document.activeElement.tagName);
      await expect.poll(focused).toBe("DIV");
      await page.keyboard.press("Tab");
      expect(await hasFocus(summary.getByRole("link", { name: error }))).toBe(true);
      await page.keyboard.press("Enter");
      await expect.poll(() => hasFocus(field)).toBe(true);
      expect(await field.getAttribute("aria-invalid")).toBe("true");
      expect(complaints).toEqual([]);
      await close();
    },
  );
});
