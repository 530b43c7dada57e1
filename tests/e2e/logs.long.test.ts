// Guards: app/(dashboard)/logs/**, components/attempts/**, server/logs/**, contract/inputs/**, server/lists/**, app/(dashboard)/*filter*.ts
import type { Page } from "@playwright/test";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { encodeId } from "#domain/ids.ts";
import type { TestAccount } from "#tests/helpers/accounts.ts";
import { recordTestAttempt, type TestAttempt } from "#tests/helpers/attempts.ts";
import { type DashboardHarness, startDashboardHarness } from "#tests/helpers/dashboard-harness.ts";
import { expectSound, WIDE } from "#tests/helpers/page-checks.ts";

const MINUTE_MS = 60_000;

let harness: DashboardHarness;
let account: TestAccount;

beforeAll(async () => {
  harness = await startDashboardHarness();
});
afterAll(() => harness?.stop());
beforeEach(async () => {
  account = await harness.dispatch.account();
});

/** Records an attempt at a new schedule. Returns the id of the schedule. */
async function attempt(url: string, agoMs: number, given: Partial<TestAttempt> = {}, env: "live" | "test" = "live") {
  const uuid = await harness.dispatch.schedule(account, url, new Date(Date.now() + MINUTE_MS), { env });
  await recordTestAttempt(harness.sql, uuid, { attemptedAt: new Date(Date.now() - agoMs), offsetMs: 4, ...given });
  return encodeId("sch", uuid);
}

const seed = async () => [
  await attempt("https://parcel.example.com/hooks/trial-ends", 2 * MINUTE_MS),
  await attempt("https://api.example.com/jobs/settle", 3 * MINUTE_MS, { statusCode: 503, errorText: "window closed" }),
  await attempt("https://old.example.com/sessions/44", 4 * MINUTE_MS, { statusCode: 410, status: "dead" }),
  await attempt("https://hooks.example.com/x", 200 * MINUTE_MS, {
    statusCode: null,
    errorText: "no answer within 30 s",
  }),
];

const rows = (page: Page) =>
  page.locator("tbody tr").evaluateAll((all) => all.map((row) => row.querySelector("a[title]")?.getAttribute("title")));

it("the log with attempts, without any, and without a match passes axe, fits and logs no complaint", async () => {
  const empty = await harness.dispatch.account();
  await seed();
  for (const [whose, path] of [
    [account, "/logs"],
    [account, "/logs?from=2026-01-01T00:00&code=5xx&q=example"],
    [account, "/logs?q=nowhere"],
    [empty, "/logs"],
  ] as const) {
    const { page, complaints, close } = await harness.open(whose, path);
    await expectSound(page, complaints);
    await close();
  }
});

describe("the log", () => {
  it("shows each attempt, newest first, with when, how it ended, code, target, lateness, latency, number, schedule and error", async () => {
    const [, settle] = await seed();
    const { page, close } = await harness.open(account, "/logs");
    expect(await rows(page)).toEqual([
      "https://parcel.example.com/hooks/trial-ends",
      "https://api.example.com/jobs/settle",
      "https://old.example.com/sessions/44",
      "https://hooks.example.com/x",
    ]);
    const row = page.locator("tbody tr").nth(1);
    expect(await row.textContent()).toMatch(
      /\d\d:\d\d:\d\d\.\d{3}.*failed.*503.*POST.*\+4 ms.*5 ms.*1.*window closed/s,
    );
    expect(await page.locator("tbody tr").nth(3).textContent()).toContain("none: no answer");
    expect(await page.getByRole("main").textContent()).toContain("Attempts are kept for 30 days. Older ones are gone.");
    await row.getByRole("link").first().click();
    await page.waitForURL(`**/schedules/${settle}`);
    await close();
  });

  it.each([true, false])("is filtered by its URL, by links and a form, and reset, with scripts %s", async (scripts) => {
    const [, settle] = await seed();
    const { page, close } = await harness.open(account, "/logs", { ...WIDE, scripts });
    await page.getByRole("link", { name: "Failed" }).click();
    await page.waitForURL("**outcome=failed**");
    expect(await rows(page)).toHaveLength(3);
    await page.getByLabel("Answer").selectOption("none");
    await page.getByLabel("Sent, in words (UTC)").fill("last 24 hours");
    await page.getByRole("button", { name: "Apply" }).click();
    await page.waitForURL("**code=none**");
    expect(new URL(page.url()).searchParams.get("outcome")).toBe("failed");
    expect(await rows(page)).toEqual(["https://hooks.example.com/x"]);
    await page.getByRole("link", { name: "Remove filter last 24 hours: " }).click();
    await page.waitForURL((url) => !url.searchParams.has("range"));
    await page.getByLabel("Part of the URL, or a whole schedule id").fill("PARCEL");
    await page.getByRole("button", { name: "Apply" }).click();
    await page.waitForURL("**q=PARCEL**");
    expect(await page.getByRole("heading", { name: "No attempt matches" }).count()).toBe(1);
    await page.getByRole("link", { name: "Reset filters" }).click();
    await page.waitForURL("**/logs");
    await page.getByRole("link", { name: `only attempts of ${settle}` }).click();
    await page.waitForURL(`**schedule_id=${settle}**`);
    expect(await rows(page)).toEqual(["https://api.example.com/jobs/settle"]);
    await close();
  });

  it("is filtered by a range in words, in the zone that is shown, and says what it did not understand", async () => {
    await seed();
    const clock = (agoMs: number) => new Date(Date.now() - agoMs).toISOString().slice(0, 16);
    const { page, close } = await harness.open(account, "/logs?outcome=failed");
    const field = page.getByLabel("Sent, in words (UTC)");
    const apply = page.getByRole("button", { name: "Apply" });
    await field.fill(`${clock(300 * MINUTE_MS)} to ${clock(100 * MINUTE_MS)}`);
    await apply.click();
    await page.waitForURL("**range=**");
    expect(await rows(page)).toEqual(["https://hooks.example.com/x"]);
    await field.fill("last apples");
    await apply.click();
    await page.waitForURL("**range=last+apples**");
    await page.getByText("This range is not understood.").waitFor();
    expect(await field.inputValue()).toBe("last apples");
    expect(new URL(page.url()).searchParams.get("outcome")).toBe("failed");
    await close();
  });

  it("is sorted by lateness and filtered by it, by host and by key, and leads to its schedules", async () => {
    await attempt("https://parcel.example.com/a", MINUTE_MS, { offsetMs: 12 });
    await attempt("https://parcel.example.com/b", 2 * MINUTE_MS, { offsetMs: 900 });
    await attempt("https://other.example.com/c", 3 * MINUTE_MS, { offsetMs: 400 });
    const { page, close } = await harness.open(account, "/logs", { ...WIDE, scripts: false });
    await page.getByRole("columnheader", { name: "Late" }).getByRole("link").click();
    await page.waitForURL("**sort=late**");
    expect(await rows(page)).toEqual([
      "https://parcel.example.com/b",
      "https://other.example.com/c",
      "https://parcel.example.com/a",
    ]);
    await page.getByLabel("Late", { exact: true }).selectOption("Late, past 250 ms");
    await page.getByText("More filters").click();
    await page.getByLabel("Host of the target").fill("parcel.example.com");
    await page.getByRole("button", { name: "Apply" }).click();
    await page.waitForURL("**host=parcel**");
    expect(await rows(page)).toEqual(["https://parcel.example.com/b"]);
    await page.getByRole("link", { name: "Their schedules" }).click();
    await page.waitForURL("**/schedules?**");
    expect(await page.locator("tbody tr").count()).toBe(1);
    await page.getByRole("link", { name: "Remove filter Late: +251 ms or later" }).click();
    await page.getByText("1–2 of 2").waitFor();
    await close();
  });

  it("leads from page to page, back, and by a cursor beyond the counted pages", async () => {
    const id = await attempt("https://example.com/many", MINUTE_MS);
    await harness.sql`
      INSERT INTO attempts (schedule_id, attempt, attempted_at, account_id, env, outcome, status_code, latency_ms, error_text)
      SELECT schedule_id, n, attempted_at - n * interval '1 s', account_id, env, 'delivered', 200, 5, ''
      FROM attempts, generate_series(2, 10120) n WHERE account_id = ${account.id}`;
    const { page, close } = await harness.open(account, `/logs?schedule_id=${id}`);
    const shown = () => page.getByRole("navigation", { name: "Pages" }).textContent();
    const next = () => page.getByRole("link", { name: "Next" }).click();
    expect(await shown()).toContain("1–50 of more than 10,000");
    await next();
    await page.waitForURL("**page=2**");
    expect(await shown()).toContain("51–100 of");
    await page.getByRole("link", { name: "Previous" }).click();
    await page.waitForURL((url) => !url.searchParams.has("page"));
    await page.goto(`${harness.origin}/logs?schedule_id=${id}&page=200`);
    expect(await shown()).toContain("9,951–10,000 of");
    await next();
    await page.waitForURL("**after=**");
    expect(await shown()).toContain("10,001–10,050 of");
    await next();
    await page.waitForURL((url) => url.searchParams.get("after") !== null && !url.searchParams.has("page"));
    await expect.poll(shown).toContain("10,051–10,100 of");
    await close();
  });

  it("shows the test environment separately, and says which parameters it does not understand", async () => {
    await seed();
    await attempt("https://example.com/only-in-test", MINUTE_MS, {}, "test");
    const { page, close } = await harness.open(account, "/logs?env=test&code=7xx&page=x");
    expect(await rows(page)).toEqual(["https://example.com/only-in-test"]);
    expect(await page.getByRole("main").textContent()).toContain("Ignored, because not valid: code.");
    await close();
  });
});

describe("the live tail", () => {
  it("counts new attempts without changing the list or announcing anything, and shows them on request", async () => {
    await seed();
    const { page, complaints, close } = await harness.open(account, "/logs");
    const before = await rows(page);
    const top = () =>
      page
        .locator("tbody tr")
        .first()
        .evaluate((row) => row.getBoundingClientRect().top);
    const topBefore = await top();
    expect(await page.getByText("Nothing new").count()).toBe(1);
    // The target answered slowly: the attempt began before the page was loaded, and is recorded afterwards.
    await attempt("https://example.com/new-1", 20_000);
    await attempt("https://example.com/new-2", 0, { statusCode: 500 });
    const show = page.getByRole("link", { name: "Show 2 new attempts" });
    await show.waitFor();
    expect(await rows(page)).toEqual(before);
    expect(await top()).toBe(topBefore);
    expect(await show.evaluate((link) => link.closest("[aria-live], [role=status], [role=log]"))).toBeNull();
    await show.click();
    await page.getByText("Nothing new").waitFor();
    await expect.poll(() => rows(page)).toHaveLength(before.length + 2);
    expect(complaints).toEqual([]);
    await close();
  });

  it("counts only what matches the filters, and stops when it is paused", async () => {
    const { page, close } = await harness.open(account, "/logs?outcome=failed");
    await page.clock.install();
    await page.reload();
    let asked = 0;
    page.on("request", (request) => {
      if (request.url().includes("/logs/newer")) asked++;
    });
    await attempt("https://example.com/delivered", 0);
    await attempt("https://example.com/refused", 0, { statusCode: 500 });
    await page.clock.runFor(6_000);
    await page.getByRole("link", { name: "Show 1 new attempt" }).waitFor();
    await page.getByRole("button", { name: "Pause live tail" }).click();
    await page.getByText("Live tail is paused").waitFor();
    const askedBefore = asked;
    expect(askedBefore).toBeGreaterThan(0);
    await page.clock.runFor(120_000);
    expect(asked).toBe(askedBefore);
    await page.getByRole("button", { name: "Resume live tail" }).click();
    await page.clock.runFor(6_000);
    await expect.poll(() => asked).toBeGreaterThan(askedBefore);
    await close();
  });

  it("answers 401 to signed-out callers, and rejects malformed instants and unknown filters", async () => {
    const { token, close } = await harness.open(account, "/logs");
    const ask = (query: string, cookie = `sw_session=${token}`) =>
      fetch(`${harness.origin}/logs/newer?${query}`, { headers: { Cookie: cookie } });
    const since = `since=${new Date().toISOString()}`;
    expect((await ask(since)).status).toBe(200);
    expect((await ask(since, "")).status).toBe(401);
    expect((await ask("since=yesterday")).status).toBe(400);
    expect((await ask(`${since}&outcom=failed`)).status).toBe(400);
    await close();
  });

  it("is a link to the newest attempts without scripts", async () => {
    await seed();
    const { page, close } = await harness.open(account, "/logs", { ...WIDE, scripts: false });
    expect(await page.getByText("Live tail").isVisible()).toBe(false);
    await page.getByRole("link", { name: "Reload" }).click();
    // The rows of the old page are gone before the new page is there.
    await expect.poll(() => rows(page).catch(() => [])).toHaveLength(4);
    await close();
  });
});
