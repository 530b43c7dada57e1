// Guards: components/layout/rows.tsx, components/layout/single-keys.ts, components/layout/shortcuts.tsx, components/schedules/schedule-table.tsx, components/schedules/selection-*.tsx, components/schedules/confirm-card.tsx, components/attempts/attempt-table.tsx, app/(dashboard)/schedules/*, app/(dashboard)/schedules/select/**, app/(dashboard)/schedules/confirm/**, server/operations/start.ts
import type { Page } from "@playwright/test";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { TestAccount } from "#tests/helpers/accounts.ts";
import { type DashboardHarness, startDashboardHarness } from "#tests/helpers/dashboard-harness.ts";
import { createTestSchedules } from "#tests/helpers/many-schedules.ts";
import { untilInteractive, WIDE } from "#tests/helpers/page-checks.ts";

/** More than a page has, by what can no longer be cancelled. */
const ALL = 25;
const ENDED = 3;

let harness: DashboardHarness;
let account: TestAccount;

beforeAll(async () => {
  harness = await startDashboardHarness();
});
afterAll(() => harness?.stop());
beforeEach(async () => {
  account = await harness.dispatch.account();
  await createTestSchedules(harness.sql, account.id, ALL, new Date(Date.now() + 3_600_000));
  await harness.sql`
    UPDATE schedules SET status = 'cancelled', ended_at = now(), next_attempt_at = NULL WHERE id IN (
      SELECT id FROM schedules WHERE account_id = ${account.id} ORDER BY fire_at DESC LIMIT ${ENDED})`;
});

async function open(path = "/schedules", scripts = true) {
  const opened = await harness.open(account, path, { ...WIDE, scripts });
  if (scripts) await untilInteractive(opened.page);
  return opened;
}

const row = (page: Page, at: number) => page.locator("tbody tr").nth(at);
const boxes = (page: Page) => page.locator("tbody [name=id]");
const ticked = (page: Page) =>
  boxes(page).evaluateAll((all) => all.flatMap((box, at) => ((box as HTMLInputElement).checked ? [at] : [])));
const selection = (page: Page) => page.getByRole("region", { name: "Selection" });
const pathOf = (page: Page) => new URL(page.url()).pathname;

/** The row that has the focus; -1 when none has. */
const focused = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll("tbody tr")].findIndex((tr) => tr.contains(document.activeElement)),
  );

describe("a row", () => {
  it("opens where it is pressed, in a new tab with Ctrl or the middle button, and its text can be selected", async () => {
    const { page, complaints, close } = await open();
    const time = row(page, 1).locator("time").first();
    const href = await row(page, 1).getByRole("link").first().getAttribute("href");
    for (const how of [{ modifiers: ["ControlOrMeta" as const] }, { button: "middle" as const }]) {
      const opening = page.context().waitForEvent("page");
      await time.click(how);
      const tab = await opening;
      await tab.waitForURL(`**${href}`);
      await tab.close();
      expect(pathOf(page)).toBe("/schedules");
    }
    const place = await time.boundingBox();
    if (place === null) throw new Error("the time is not shown");
    await page.mouse.move(place.x + 1, place.y + place.height / 2);
    await page.mouse.down();
    await page.mouse.move(place.x + place.width - 1, place.y + place.height / 2, { steps: 4 });
    await page.mouse.up();
    expect(await page.evaluate(() => String(getSelection()))).not.toBe("");
    expect(pathOf(page)).toBe("/schedules");
    await page.evaluate(() => getSelection()?.removeAllRanges());
    await row(page, 1)
      .getByRole("button", { name: /^Actions for/ })
      .click();
    await page.keyboard.press("Escape");
    await boxes(page).nth(1).click();
    expect(pathOf(page)).toBe("/schedules");
    await time.click();
    await page.waitForURL(`**${href}`);
    expect(complaints).toEqual([]);
    await close();
  });

  it("is reached with j and k, opened with Enter, and ticked with x, with Shift up to the last one", async () => {
    const { page, close } = await open();
    await page.keyboard.press("k");
    expect(await focused(page)).toBe(0);
    for (const key of ["j", "j", "j", "k"]) await page.keyboard.press(key);
    expect(await focused(page)).toBe(2);
    await page.keyboard.press("x");
    for (const key of ["j", "j", "j", "Shift+X"]) await page.keyboard.press(key);
    expect(await ticked(page)).toEqual([2, 3, 4, 5]);
    await expect.poll(() => selection(page).getByRole("status").textContent()).toBe("4 selected");
    await page.keyboard.press("x");
    expect(await ticked(page)).toEqual([2, 3, 4]);
    const href = await row(page, 5).getByRole("link").first().getAttribute("href");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**${href}`);
    await close();
  });

  it("takes no key that is typed into a field or pressed with Ctrl, nor any once single keys are off", async () => {
    const { page, close } = await open();
    await page.getByRole("searchbox").first().fill("");
    await page.keyboard.type("jxk");
    expect(await page.getByRole("searchbox").first().inputValue()).toBe("jxk");
    expect(await ticked(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.keyboard.press("Alt+j");
    expect(await focused(page)).toBe(-1);
    await page.evaluate(() => localStorage.setItem("single-keys", "off"));
    await page.keyboard.press("j");
    expect(await focused(page)).toBe(-1);
    await close();
  });

  it("of the log is reached and opened the same way", async () => {
    await harness.sql`
      INSERT INTO attempts (schedule_id, attempt, attempted_at, account_id, env, outcome, status_code, latency_ms, error_text)
      SELECT id, 1, now(), account_id, env, 'delivered', 200, 4, '' FROM schedules WHERE account_id = ${account.id}`;
    const { page, close } = await open("/logs");
    for (const key of ["j", "j"]) await page.keyboard.press(key);
    expect(await focused(page)).toBe(1);
    await page.keyboard.press("Enter");
    await page.waitForURL("**/schedules/sch_*");
    await close();
  });
});

describe("a selection", () => {
  it("reaches from the last box to the one that is clicked with Shift", async () => {
    const { page, close } = await open();
    await boxes(page).nth(7).click();
    await boxes(page)
      .nth(4)
      .click({ modifiers: ["Shift"] });
    expect(await ticked(page)).toEqual([4, 5, 6, 7]);
    await boxes(page)
      .nth(6)
      .click({ modifiers: ["Shift"] });
    expect(await ticked(page)).toEqual([7]);
    await close();
  });

  it.each([true, false])(
    "of all that match acts beyond the page, on what it can act on alone, with scripts: %s",
    async (scripts) => {
      const { page, complaints, close } = await open("/schedules?q=example", scripts);
      const all = page.getByLabel(`All ${ALL} that match`);
      if (scripts) {
        expect(await all.isVisible()).toBe(false);
        await page.getByRole("checkbox", { name: "Select this page" }).check();
        await all.check();
        await expect.poll(() => selection(page).getByRole("status").textContent()).toBe(`All ${ALL} selected`);
        await boxes(page).nth(3).uncheck();
        await expect.poll(async () => [await all.isChecked(), await all.isVisible()]).toEqual([false, false]);
        await boxes(page).nth(3).check();
        expect(await all.isChecked()).toBe(false);
        await all.check();
        await selection(page)
          .getByRole("button", { name: `Replay ${ALL}` })
          .waitFor();
      } else await all.check();
      await selection(page)
        .getByRole("button", { name: /^Cancel/ })
        .click();
      await page.getByRole("heading", { name: `Cancel ${ALL - ENDED} schedules?` }).waitFor();
      await page.getByRole("button", { name: `Cancel ${ALL - ENDED} schedules` }).click();
      await page.waitForURL("**/schedules/operations/op_*");
      const [operation] =
        await harness.sql`SELECT action, total, filter FROM operations WHERE account_id = ${account.id}`;
      expect(operation).toMatchObject({ action: "cancel", total: ALL - ENDED, filter: { q: { text: "example" } } });
      expect(complaints).toEqual([]);
      await close();
    },
  );
});
