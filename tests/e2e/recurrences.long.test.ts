// Guards: app/(dashboard)/recurrences/**, components/recurrences/**, components/schedules/use-draft-form.ts, components/schedules/kept-content.tsx, server/recurrences/**, server/routes/form-action.ts, db/queries/recurrences/**, domain/recurrence-draft.ts, domain/cron-choices.ts
import type { Page } from "@playwright/test";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openRequest, unpackRequest } from "#domain/sealed-request.ts";
import type { TestAccount } from "#tests/helpers/accounts.ts";
import { type DashboardHarness, startDashboardHarness } from "#tests/helpers/dashboard-harness.ts";
import { expectSound, untilInteractive, WIDE } from "#tests/helpers/page-checks.ts";

let harness: DashboardHarness;
let account: TestAccount;

beforeAll(async () => {
  harness = await startDashboardHarness();
});
afterAll(() => harness?.stop());
beforeEach(async () => {
  account = await harness.dispatch.account();
});

/** The recurrences of the account, with the content that they send. */
async function stored() {
  const rows = await harness.sql`SELECT * FROM recurrences WHERE account_id = ${account.id} ORDER BY created_at`;
  return rows.map(({ id, method, target_url: targetUrl, sealed, ...row }) => {
    const bound = { id, accountId: account.id, env: row.env, method, targetUrl };
    const content = sealed && unpackRequest(openRequest(harness.dispatch.config.keyRing, sealed, bound));
    return { ...row, method, targetUrl, headers: content?.headers, payload: content?.payload.toString() };
  });
}

async function statuses() {
  const rows = await harness.sql`
    SELECT s.status FROM schedule_requests r JOIN schedules s ON s.id = r.schedule_id
    WHERE r.account_id = ${account.id} ORDER BY r.occurrence_at, r.created_at`;
  return rows.map(({ status }) => status);
}

async function fill(page: Page, name = "Daily report") {
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Zone").fill("Europe/Berlin");
  await page.getByLabel("URL", { exact: true }).fill("https://example.com/report");
  await page.getByLabel("Payload", { exact: true }).fill('{"report":1}');
}

const press = (page: Page, name: string) => page.getByRole("main").getByRole("button", { name }).last().click();
const said = (page: Page) => page.getByRole("main").getByRole("status").first().textContent();

it("the pages of recurrences pass axe, fit and log no complaint, also with warnings and errors", async () => {
  const { page, complaints, close } = await harness.open(account, "/recurrences");
  await expectSound(page, complaints);
  await page.goto(`${harness.origin}/recurrences/one`);
  await page.getByLabel("Zone").fill("Europe/Berlin");
  await page.getByLabel("Cron rule").fill("30 2 * 3,10 0");
  await page.getByText("Clocks skip 02:30").first().waitFor();
  await page.getByText("02:30 comes twice").first().waitFor();
  await page.getByText("Clock changes, overlaps and end").click();
  await page.getByLabel("clocks change").selectOption("skip");
  await page.getByText("Clocks skip 02:30: left out").first().waitFor();
  await page.getByLabel("Spread").fill("2h");
  await press(page, "Create it");
  await page.getByText("fields need another look").waitFor();
  await expectSound(page, complaints);
  await fill(page);
  await page.getByLabel("Spread").fill("");
  await press(page, "Create it");
  await page.waitForURL(/key=daily-report$/);
  await page.locator("summary", { hasText: "Pause" }).click();
  await expectSound(page, complaints);
  await page.getByRole("link", { name: "Delete" }).click();
  await expectSound(page, complaints);
  await close();
});

describe.each([true, false])("with scripts %s:", (scripts) => {
  const look = { ...WIDE, scripts };

  it("a recurrence is stored as it was typed, with its next occurrence, and its page is shown", async () => {
    const { page, complaints, close } = await harness.open(account, "/recurrences/one", look);
    await fill(page);
    await press(page, "Create it");
    await page.waitForURL(/\/recurrences\/one\?key=daily-report$/);
    expect(await said(page)).toBe("Created.");
    expect(await page.getByRole("main").textContent()).toContain("Every weekday at 09:00 Europe/Berlin");
    expect(await stored()).toMatchObject([
      {
        ...{ key: "daily-report", name: "Daily report", cron: "0 9 * * 1-5", timezone: "Europe/Berlin" },
        ...{ targetUrl: "https://example.com/report", payload: '{"report":1}' },
        headers: [["Content-Type", "application/json"]],
        early_fire: null,
      },
    ]);
    expect(await statuses()).toEqual(["scheduled"]);
    expect(complaints).toEqual([]);
    await close();
  });

  it("a rejected form keeps what was typed, and names each field with an error", async () => {
    const { page, close } = await harness.open(account, "/recurrences/one", look);
    await fill(page);
    await page.getByLabel("Cron rule").fill("0 9 31 2 *");
    await page.getByLabel("URL", { exact: true }).fill("https://localhost/x");
    await press(page, "Create it");
    await page.getByRole("link", { name: /never fires: month 2 has no day 31/ }).waitFor();
    await page.getByRole("link", { name: "The URL must point to a public host." }).waitFor();
    expect(await page.getByLabel("Payload", { exact: true }).inputValue()).toBe('{"report":1}');
    await page.getByLabel("Cron rule").fill("* * * * *");
    await press(page, "Create it");
    await page.getByRole("link", { name: "The URL must point to a public host." }).waitFor();
    expect(await stored()).toEqual([]);
    await close();
  });

  it("a key that another recurrence has is reported, and that one is unchanged", async () => {
    const { page, close } = await harness.open(account, "/recurrences/one", look);
    for (const url of ["https://example.com/one", "https://example.com/two"]) {
      await page.goto(`${harness.origin}/recurrences/one`);
      await fill(page);
      await page.getByLabel("Key", { exact: true }).fill("a/key");
      await page.getByLabel("URL", { exact: true }).fill(url);
      await press(page, "Create it");
      if (url.endsWith("one")) await page.waitForURL(/key=a%2Fkey$/);
    }
    await page.getByRole("link", { name: "The recurrence with this key" }).waitFor();
    expect(await stored()).toMatchObject([{ targetUrl: "https://example.com/one" }]);
    await close();
  });

  it("a change keeps what is stored unless it is unticked, and keeps nothing for another URL", async () => {
    const { page, close } = await harness.open(account, "/recurrences/one", look);
    await fill(page);
    await press(page, "Create it");
    await page.waitForURL(/key=daily-report$/);
    await page.getByLabel("Cron rule").fill("0 10 * * 1-5");
    await press(page, "Save changes");
    await page.getByText("Saved. One occurrence was taken back.").waitFor();
    expect(await stored()).toMatchObject([{ cron: "0 10 * * 1-5", payload: '{"report":1}' }]);
    expect(await statuses()).toEqual(expect.arrayContaining(["cancelled", "scheduled"]));

    await page.getByLabel("URL", { exact: true }).fill("https://example.com/other");
    await press(page, "Save changes");
    await page.getByRole("link", { name: /goes along only to the same URL/ }).waitFor();
    await page.getByLabel("The headers stored with it").uncheck();
    await page.getByLabel("The payload stored with it").uncheck();
    await page.getByLabel("Payload", { exact: true }).fill("2");
    const saved = page.waitForEvent("framenavigated");
    await press(page, "Save changes");
    await saved;
    await page.getByText("Saved.").waitFor();
    expect(await stored()).toMatchObject([{ targetUrl: "https://example.com/other", payload: "2" }]);
    await close();
  });

  it("it is paused with a note and an end, resumed, and deleted, and what was taken back is said", async () => {
    const { page, complaints, close } = await harness.open(account, "/recurrences/one", look);
    await fill(page);
    await press(page, "Create it");
    await page.waitForURL(/key=daily-report$/);
    await page.locator("summary", { hasText: "Pause" }).click();
    await page.getByLabel("Why").fill("the office moves");
    await page.getByLabel("Until").fill("whenever");
    await press(page, "Pause it");
    await page.getByText("This time is not understood").waitFor();
    expect(await page.getByLabel("Why").inputValue()).toBe("the office moves");
    await page.getByLabel("Until").fill("2031-03-31 09:00");
    await press(page, "Pause it");
    await page.getByText("Paused. One occurrence was taken back.").waitFor();
    expect(await page.getByRole("main").textContent()).toContain("Until 31 March 2031, 09:00:00.000 Europe/Berlin");
    expect(await stored()).toMatchObject([
      { status: "paused", pause_note: "the office moves", paused_until: new Date("2031-03-31T07:00:00Z") },
    ]);
    expect(await statuses()).toEqual(["cancelled"]);
    await press(page, "Resume");
    await page.getByText("Resumed: it goes on from now.").waitFor();
    await page.getByRole("link", { name: "Fire the next one now" }).click();
    await page.getByRole("heading", { name: /now\?/ }).waitFor();
    await page.goto(`${harness.origin}/recurrences`);
    await page.getByRole("link", { name: "Daily report" }).click();
    await page.getByRole("link", { name: "Delete" }).click();
    await page.getByText("One occurrence that is open is taken back").waitFor();
    await press(page, "Delete it");
    await page.getByText("Deleted. One occurrence was taken back.").waitFor();
    expect(await stored()).toEqual([]);
    expect(await statuses()).toEqual(["cancelled", "cancelled"]);
    expect(complaints).toEqual([]);
    await close();
  });
});

it("without scripts a choice in words is written as a rule, and the next ten instants are shown", async () => {
  const { page, close } = await harness.open(account, "/recurrences/one", { ...WIDE, scripts: false });
  await page.getByLabel("How often").selectOption("every Friday");
  await page.getByLabel("At", { exact: true }).fill("17:30");
  await press(page, "Write it as a rule");
  expect(await page.getByLabel("Cron rule").inputValue()).toBe("30 17 * * 5");
  await page.getByLabel("Cron rule").fill("0 7 L * *");
  await press(page, "Show the next ten");
  expect(await page.getByRole("region", { name: "Next ten" }).locator("tbody tr").count()).toBe(10);
  expect(await page.getByRole("main").textContent()).toContain("On the last day of the month at 07:00.");
  expect(await stored()).toEqual([]);
  await close();
});

it("while it is typed, the choice follows the rule, the rule the choice, and the next ten both", async () => {
  const { page, close } = await harness.open(account, "/recurrences/one");
  await untilInteractive(page);
  await page.getByLabel("How often").selectOption("every Friday");
  await page.getByLabel("At", { exact: true }).fill("17:30");
  const cron = page.getByLabel("Cron rule");
  await expect.poll(() => cron.inputValue()).toBe("30 17 * * 5");
  await cron.fill("15 8 * * 1-5");
  await expect.poll(() => page.getByLabel("How often").inputValue()).toBe("M H * * 1-5");
  expect(await page.getByLabel("At", { exact: true }).inputValue()).toBe("08:15");
  const next = page.getByRole("region", { name: "Next ten" });
  await expect.poll(() => next.textContent()).toMatch(/\w{3} \d+ \w{3}, 08:15/);
  await cron.fill("0 25 * * *");
  await expect.poll(() => next.textContent()).toContain("wrong at character 3");
  await cron.fill("* * * * *");
  await expect.poll(() => next.textContent()).toContain("About 43,800 a month");
  await close();
});
