// Guards: app/(dashboard)/schedules/**, components/schedules/**, server/operations/**, contract/inputs/**, server/lists/**, app/(dashboard)/*filter*.ts
import type { Page } from "@playwright/test";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { encodeId } from "#domain/ids.ts";
import { type DashboardHarness, startDashboardHarness } from "#tests/helpers/dashboard-harness.ts";
import type { DispatchHarness } from "#tests/helpers/dispatch-harness.ts";
import { createTestSchedules, createThinSearch } from "#tests/helpers/many-schedules.ts";
import { expectSound, type Look, untilInteractive, WIDE } from "#tests/helpers/page-checks.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";

let harness: DashboardHarness;
let dispatch: DispatchHarness;
let origin: string;
let account: Awaited<ReturnType<DispatchHarness["account"]>>;

beforeAll(async () => {
  harness = await startDashboardHarness();
  ({ dispatch, origin } = harness);
});
afterAll(() => harness?.stop());
beforeEach(async () => {
  account = await dispatch.account();
});

/** A page of the dashboard, as the owner of `of` sees it. */
const open = (path: string, look: Look & { scripts?: boolean } = WIDE, of = account) => harness.open(of, path, look);

const MINUTE_MS = 60_000;
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * MINUTE_MS);

/** Schedules of every status, 12 to come and 15 that ended, and one in the test environment. */
async function seed(of = account) {
  await createTestSchedules(dispatch.sql, of.id, 12, inMinutes(45), { path: "cron/digest" });
  const paths = ["hooks/trial-ends", "jobs/settle?batch=2026-03-27T15", "v2/holds/8812/release"];
  const ids = await Promise.all(
    Array.from({ length: 18 }, (_, n) =>
      dispatch.schedule(of, `https://api.example.com/${paths[n % 3]}`, inMinutes(2 + n), {
        method: n % 2 ? "PUT" : "POST",
      }),
    ),
  );
  const statuses = ["succeeded", "succeeded", "succeeded", "dead", "cancelled", "firing", "failed"] as const;
  for (const [n, id] of ids.slice(3).entries()) {
    const status = statuses[n % statuses.length] as string;
    const isEnded = ["succeeded", "dead", "cancelled"].includes(status);
    const offset = status === "cancelled" || status === "firing" ? null : [3, 0, 304, 31, 2][n % 5];
    const at = new Date(Date.now() - (n + 1) * 47_000);
    await dispatch.sql`
      UPDATE schedules SET status = ${status}, fire_at = ${at}, attempts = ${status === "cancelled" ? 0 : 1},
        next_attempt_at = ${isEnded ? null : inMinutes(90)}, ended_at = ${isEnded ? at : null},
        claim_deadline = ${status === "firing" ? inMinutes(90) : null}, claimed_at = ${status === "firing" ? at : null},
        fired_at = ${offset === null ? null : at}, offset_ms = ${offset ?? null},
        created_at = ${new Date(at.getTime() - 3_600_000)}
      WHERE id = ${id}`;
  }
  await dispatch.schedule(of, "https://example.com/only-in-test", inMinutes(5), { env: "test" });
  return ids;
}

const statusesOf = (page: Page) =>
  page.locator("tbody tr").evaluateAll((rows) => rows.map((row) => row.children[1]?.textContent));

it("the list, its actions and a selection pass axe, fit and log no complaint", async () => {
  await seed();
  const { page, complaints, close } = await open("/schedules");
  await expectSound(page, complaints);
  await page.locator('input[name="id"]').first().check();
  await page.getByRole("region", { name: "Selection" }).waitFor();
  await expectSound(page, complaints);
  await page
    .getByRole("button", { name: /^Actions for/ })
    .nth(2)
    .click();
  await page.getByRole("link", { name: "Open" }).waitFor();
  await expectSound(page, complaints);
  await close();
});

it("an empty list, one without a match, a wrong address and the lists of operations pass axe, fit and log no complaint", async () => {
  for (const [path, words] of [
    ["/schedules", "Nothing scheduled yet"],
    ["/schedules?q=nowhere&range=next+7+days", "No schedule matches"],
    ["/schedules?page=7", "Nothing scheduled yet"],
    ["/schedules?status=pending", "That status does not exist."],
    ["/schedules/operations", "No operation yet"],
    ["/schedules/operations/op_01kbm5qk4f8rz3c2x7w9v6n1ta", "There is no such operation"],
  ] as const) {
    const { page, complaints, close } = await open(path);
    await page.getByText(words).first().waitFor();
    // The browser logs each 404 as a failed load.
    const others = complaints.filter((one) => !one.includes("404"));
    await expectSound(page, others);
    await close();
  }
});

it("the confirm page and the page of an operation pass axe, fit and log no complaint", async () => {
  await seed();
  for (const action of ["cancel", "replay"]) {
    const { page, complaints, close } = await open(
      `/schedules/confirm?action=${action}&all=1&q=cron/digest&status=scheduled`,
    );
    await page.getByRole("heading", { name: /12 schedules\?/ }).waitFor();
    await expectSound(page, complaints);
    await page.getByRole("button", { name: /12 schedules/ }).click();
    await page.waitForURL(/operations\/op_/);
    await expectSound(page, complaints);
    await page.getByRole("link", { name: "Operations", exact: true }).click();
    await page.getByRole("table").waitFor();
    await expectSound(page, complaints);
    await close();
  }
});

describe("the list", () => {
  it("shows open schedules first, the next due one on top, and then ended ones, the last one on top", async () => {
    await seed();
    const { page, close } = await open("/schedules?page=1");
    const first = await statusesOf(page);
    expect(first).toHaveLength(20);
    await page.getByRole("link", { name: "Next" }).click();
    await page.getByText("21–30 of 30").waitFor();
    const all = [...first, ...(await statusesOf(page))];
    expect(all).toHaveLength(30);
    const openOnes = all.filter((status) => /^(scheduled|firing|retrying)/.test(status ?? ""));
    expect(all.slice(0, openOnes.length)).toEqual(openOnes);
    await close();
  });

  it("has tabs with counts, which keep the other filters and begin at the first page", async () => {
    await seed();
    const { page, close } = await open("/schedules?page=2", { ...WIDE, scripts: false });
    const tabs = page.getByRole("navigation", { name: "Status" }).getByRole("link");
    expect(await tabs.allTextContents()).toEqual([
      "All30",
      "Scheduled15",
      "Firing2",
      "Succeeded7",
      "Retrying2",
      "Dead2",
      "Cancelled2",
    ]);
    await tabs.nth(5).click();
    await page.waitForURL(`${origin}/schedules?status=dead`);
    expect(await statusesOf(page)).toEqual(["dead", "dead"]);
    await close();
  });

  it("filters by text and range, shows the active filters, and removes them, without scripts", async () => {
    await seed();
    const { page, close } = await open("/schedules", { ...WIDE, scripts: false });
    await page.getByLabel("Part of the URL, or a whole schedule id").fill("TRIAL");
    await page.getByLabel("Due, in words (UTC)").fill("next hour");
    await page.getByRole("button", { name: "Apply" }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get("q")).toBe("TRIAL");
    await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
    await page.getByRole("link", { name: "Remove filter “TRIAL”" }).click();
    await expect.poll(() => page.locator("tbody tr").count()).toBe(15);
    await page.getByRole("link", { name: "Reset" }).click();
    await expect.poll(() => page.url()).toBe(`${origin}/schedules`);
    await page.getByLabel("Due, in words (UTC)").fill("1 Jan 2026");
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByRole("heading", { name: "No schedule matches" }).waitFor();
    await close();
  });

  it("says that a page beyond its end is empty, and links to the first page", async () => {
    await seed();
    const { page, close } = await open("/schedules?page=7");
    await page.getByRole("heading", { name: "Nothing on this page" }).waitFor();
    await page.getByRole("link", { name: "First page" }).click();
    await page.getByText("1–20 of 30").waitFor();
    await close();
  });

  it("says that a search has ended early, never that nothing matches, and searches on until it has found what does", async () => {
    await createThinSearch(dispatch.sql, account.id);
    const { page, close } = await open("/schedules?q=hook&host=other.example.com", {
      ...WIDE,
      scripts: false,
    });
    const soFar = page.getByRole("heading", { name: "No schedule found so far" });
    /** Returns once the page that the link leads to is there as a whole. */
    const follow = async (name: string) => {
      const address = page.url();
      await page.getByRole("link", { name }).click();
      await page.waitForURL(({ href }) => href !== address);
    };
    await soFar.waitFor();
    await page.getByText("This search has ended early").waitFor();
    await follow("Search the newest first");
    await soFar.waitFor();
    for (let pages = 0; await soFar.isVisible(); pages++) {
      expect(pages).toBeLessThan(10);
      await follow("Search on");
    }
    expect(await page.locator("tbody tr").count()).toBe(1);
    expect(await page.locator("tbody tr").textContent()).toContain("other.example.com/hook/1");
    await close();
  });

  it("shows the test environment separately", async () => {
    await seed();
    const { page, close } = await open("/schedules?env=test");
    expect(await page.locator("tbody tr").count()).toBe(1);
    expect(await page.getByRole("link", { name: /only-in-test/ }).getAttribute("href")).toMatch(/\?env=test$/);
    await close();
  });

  it("refreshes by itself, except while something is selected or after it was paused", async () => {
    await seed();
    const { page, complaints, close } = await open("/schedules?status=dead");
    const search = page.getByLabel("Part of the URL, or a whole schedule id");
    await search.fill("not sent yet");
    await dispatch.sql`UPDATE schedules SET status = 'dead' WHERE account_id = ${account.id} AND status = 'cancelled'`;
    await expect.poll(() => page.locator("tbody tr").count()).toBe(4);
    expect(await search.inputValue()).toBe("not sent yet");
    expect(await search.evaluate((input) => input === document.activeElement)).toBe(true);
    // A search that was typed is applied when its field is left.
    await search.fill("");
    await page.locator('input[name="id"]').first().check();
    await page.getByText("Paused while something is selected").waitFor();
    await page.getByRole("status").filter({ hasText: "1 selected" }).waitFor();
    await page.getByRole("button", { name: "Clear selection" }).click();
    await page.getByRole("button", { name: "Pause refresh" }).click();
    await page.getByText("Refresh paused").waitFor();
    await page.reload();
    await page.getByText("Refresh paused").waitFor();
    await page.getByRole("button", { name: "Resume refresh" }).click();
    await page.getByText(/^Updated/).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });
});

describe("the page of the list", () => {
  it("stays as it is while the server does not answer, and says so", async () => {
    await seed();
    const { page, close } = await open("/schedules");
    await page.route("**/healthz", (route) => route.abort());
    await page.getByText("Not refreshed: the server does not answer").waitFor();
    expect(await page.locator("tbody tr").count()).toBe(20);
    await page.unroute("**/healthz");
    await page.getByText(/^Updated/).waitFor();
    await close();
  });

  it("says that the database does not answer, with the id of its request, also without scripts", async () => {
    await dispatch.sql.begin(async (tx) => {
      await tx`LOCK TABLE schedules IN ACCESS EXCLUSIVE MODE`;
      const { page, close } = await open("/schedules?status=dead", { ...WIDE, scripts: false });
      await page.getByRole("heading", { name: "This page did not load" }).waitFor();
      await page.getByText(/req_[0-9a-f]{32}/).waitFor();
      expect(await page.getByRole("link", { name: "Try again" }).getAttribute("href")).toBe("/schedules?status=dead");
      await close();
    });
  });

  it("selects all rows of the page by the box in its head, and by a link without scripts", async () => {
    await seed();
    const { page, complaints, close } = await open("/schedules");
    await untilInteractive(page);
    await page.getByRole("checkbox", { name: "Select this page" }).check();
    await page.getByRole("status").filter({ hasText: "20 selected" }).waitFor();
    await page.locator('input[name="id"]').first().uncheck();
    await page.getByRole("status").filter({ hasText: "19 selected" }).waitFor();
    const head = page.getByRole("checkbox", { name: "Select this page" });
    expect(await head.evaluate((box: HTMLInputElement) => box.indeterminate)).toBe(true);
    await page.getByRole("button", { name: "Replay 19" }).click();
    await page.getByRole("heading", { name: "Replay 19 schedules?" }).waitFor();
    expect(complaints).toEqual([]);
    await close();
    const plain = await open("/schedules?page=2", { ...WIDE, scripts: false });
    await plain.page.getByRole("link", { name: "Select this page" }).click();
    await expect.poll(() => plain.page.locator('input[name="id"]:checked').count()).toBe(10);
    await plain.close();
  });
});

describe("cancelling", () => {
  it("a single schedule asks first, and the list then says that it is cancelled", async () => {
    const id = await dispatch.schedule(account, "https://example.com/one", inMinutes(30));
    const { page, close } = await open("/schedules");
    await page.getByRole("button", { name: /^Actions for/ }).click();
    await page.getByRole("link", { name: "Cancel", exact: true }).click();
    await page.getByRole("heading", { name: "Cancel this schedule?" }).waitFor();
    await page.getByText("POST https://example.com/one").waitFor();
    await page
      .locator(`time[datetime="${((await dispatch.read(id)).fire_at as Date).toISOString()}"]`)
      .first()
      .waitFor();
    expect((await dispatch.read(id)).status).toBe("scheduled");
    await page.getByRole("button", { name: "Cancel this schedule" }).click();
    await page.getByText("is cancelled. It will not be sent.").waitFor();
    expect((await dispatch.read(id)).status).toBe("cancelled");
    await close();
  });

  it("changes nothing when the person decides to keep it", async () => {
    const id = await dispatch.schedule(account, "https://example.com/one", inMinutes(30));
    const { page, close } = await open(`/schedules/confirm?action=cancel&ids=${encodeId("sch", id)}`);
    await page.getByRole("link", { name: "Keep it" }).click();
    await page.waitForURL(`${origin}/schedules`);
    expect((await dispatch.read(id)).status).toBe("scheduled");
    await close();
  });

  it("a schedule that has begun to fire changes nothing, and the page says so", async () => {
    const id = await dispatch.schedule(account, "https://example.com/one", inMinutes(30));
    const { page, close } = await open(`/schedules/confirm?action=cancel&ids=${encodeId("sch", id)}`);
    await dispatch.sql`
      UPDATE schedules SET status = 'firing', attempts = 1, claimed_at = now(), claim_deadline = now() + interval '1 hour'
      WHERE id = ${id}`;
    await page.getByRole("button", { name: "Cancel this schedule" }).click();
    await page.getByRole("alert").filter({ hasText: "it is firing" }).waitFor();
    expect((await dispatch.read(id)).status).toBe("firing");
    await close();
  });

  it("a selection works without scripts, and a link leads to its operation", async () => {
    await seed();
    const { page, close } = await open("/schedules?status=scheduled", { ...WIDE, scripts: false });
    await page.locator('input[name="id"]').nth(0).check();
    await page.locator('input[name="id"]').nth(1).check();
    await page.getByRole("button", { name: "Cancel selected" }).click();
    await page.getByRole("heading", { name: "Cancel 2 schedules?" }).waitFor();
    await page.getByRole("button", { name: "Cancel 2 schedules" }).click();
    await page.waitForURL(/\/schedules\/operations\/op_/);
    await page.getByText("running", { exact: true }).waitFor();
    // This page does not load itself again. So it offers the link until that is followed.
    await page.goto(`${page.url()}?reload=off`);
    const refresh = page.getByRole("link", { name: "Refresh" });
    await refresh.waitFor();
    const dispatcher = await dispatch.dispatcher();
    const running = () => dispatch.sql`SELECT FROM operations WHERE account_id = ${account.id} AND status = 'running'`;
    await waitFor("it is done", async () => (await running()).length === 0);
    await refresh.click();
    await page.getByText("2 cancelled").waitFor();
    await dispatcher.stop();
    await close();
  });

  it("an empty selection says that nothing was selected", async () => {
    await seed();
    const { page, close } = await open("/schedules", { ...WIDE, scripts: false });
    await page.getByRole("button", { name: "Replay selected" }).click();
    await page.getByText("Nothing was selected. Tick schedules first.").waitFor();
    await close();
  });

  it("all that match names the number of those that can be cancelled, and leaves the others alone", async () => {
    await seed();
    const { page, complaints, close } = await open("/schedules?q=api.example.com");
    await page.getByRole("link", { name: "Cancel 5 of them" }).click();
    await page.getByRole("heading", { name: "Cancel 5 schedules?" }).waitFor();
    await page.getByText("All scheduled or retrying ones with “api.example.com” in the URL").waitFor();
    await page.getByRole("button", { name: "Cancel 5 schedules" }).click();
    const dispatcher = await dispatch.dispatcher();
    await page.getByText("Done.").waitFor();
    const [row] = await dispatch.sql`SELECT acted::int, left_alone FROM operations WHERE account_id = ${account.id}`;
    expect(row).toMatchObject({ acted: 5, left_alone: {} });
    expect(complaints).toEqual([]);
    await dispatcher.stop();
    await close();
  });
});

describe("what cancelling does not apply to", () => {
  it("is not offered in a list of ended schedules", async () => {
    await seed();
    const { page, close } = await open("/schedules?status=dead");
    await page.getByRole("link", { name: "Replay all" }).waitFor();
    expect(await page.getByRole("link", { name: /^Cancel (all|those|\d)/ }).count()).toBe(0);
    await close();
  });

  it("is not counted in a list of all, nor in a selection", async () => {
    await seed();
    const { page, close } = await open("/schedules");
    await untilInteractive(page);
    await page.getByRole("link", { name: "Cancel 17 of them" }).waitFor();
    await page.getByRole("checkbox", { name: "Select this page" }).check();
    await page.getByRole("button", { name: "Replay 20" }).waitFor();
    await page.getByRole("button", { name: "Cancel 17" }).click();
    await page.getByRole("heading", { name: "Cancel 17 schedules?" }).waitFor();
    await page.getByText("3 schedules of the selected are skipped").waitFor();
    await close();
  });
});

describe("replaying", () => {
  it("a schedule twice by the same form makes one copy", async () => {
    const id = await dispatch.schedule(account, "https://example.com/one", inMinutes(30));
    const { page, close } = await open(`/schedules/confirm?action=replay&ids=${encodeId("sch", id)}`);
    await page.getByText("A target may get a request twice.").waitFor();
    await page.getByRole("button", { name: "Replay this schedule" }).dblclick();
    await page.getByText("was created, and is sent now").waitFor();
    const copies = await dispatch.sql`SELECT FROM schedule_requests WHERE replay_of = ${id}`;
    expect(copies).toHaveLength(1);
    await close();
  });

  it("many schedules can be stopped, and the page says what was done", async () => {
    await createTestSchedules(dispatch.sql, account.id, 30, inMinutes(60));
    const { page, close } = await open("/schedules/confirm?action=replay&all=1");
    await page.getByRole("button", { name: "Replay 30 schedules" }).click();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped.").waitFor();
    expect(
      await dispatch.sql`SELECT FROM operations WHERE account_id = ${account.id} AND status = 'stopped'`,
    ).toHaveLength(1);
    await close();
  });
});

describe("another account's", () => {
  it("schedules and operations are neither shown nor changed", async () => {
    const other = await dispatch.account();
    const id = await dispatch.schedule(account, "https://example.com/mine", inMinutes(30));
    const { page, close } = await open(`/schedules/confirm?action=cancel&ids=${encodeId("sch", id)}`, WIDE, other);
    await page.getByRole("heading", { name: "Nothing to cancel" }).waitFor();
    expect(await page.content()).not.toContain("example.com/mine");
    expect((await dispatch.read(id)).status).toBe("scheduled");
    await close();
  });
});
