import { afterAll, beforeAll, expect, it } from "vitest";
import { isTerminal, STATUSES } from "#domain/states.ts";
import { inEnvironment } from "#server/context.ts";
import { countOwnWaiting } from "#server/overview/count-waiting.ts";
import { readPageCtx } from "#server/page-ctx.ts";
import { countOwnByStatus, listUpcomingFirst } from "#server/schedules/list-upcoming.ts";
import { createTestSchedules } from "../../helpers/many-schedules.ts";
import { type Api, startApi, type TestSession } from "./api.ts";

let api: Api;
let session: TestSession;

/** 60 schedules, ten of each status, each due in a second of its own. */
beforeAll(async () => {
  api = await startApi();
  const { accountId } = await api.account();
  session = await api.session(accountId);
  await createTestSchedules(api.sql, accountId, 60, new Date(Date.now() + 60_000));
  const statuses = STATUSES.map((status, n) => ({ status, n }));
  for (const { status, n } of statuses) {
    const isEnded = isTerminal(status);
    await api.sql`
      UPDATE schedules SET status = ${status}, attempts = ${status === "scheduled" ? 0 : 1},
        next_attempt_at = CASE WHEN ${isEnded} THEN NULL ELSE next_attempt_at END,
        ended_at = CASE WHEN ${isEnded} THEN now() END,
        claim_deadline = CASE WHEN ${status === "firing"} THEN now() + interval '1 hour' END,
        fire_at = fire_at + (id::text < 'x')::int * (random() * 1000)::int * interval '1 s'
      WHERE id IN (SELECT schedule_id FROM schedule_requests WHERE account_id = ${accountId}
        ORDER BY created_at, schedule_id OFFSET ${n * 10} LIMIT 10)`;
  }
});
afterAll(() => api.stop());

const ctx = async () => {
  const found = await readPageCtx(new Headers({ cookie: session.cookie }));
  if (!found) throw new Error("the session does not count");
  return found;
};

it.each([1, 7, 20, 30, 60, 100])(
  "pages of %i rows show each schedule once: open ones by fire_at ascending, then ended ones descending",
  async (limit) => {
    const met: { id: string; status: (typeof STATUSES)[number]; fireAt: Date }[] = [];
    for (let offset = 0; ; offset += limit) {
      const page = await listUpcomingFirst(await ctx(), { limit, offset });
      expect(page).toMatchObject({ total: 60, totalCapped: false });
      met.push(...page.rows);
      expect(page.hasMore).toBe(met.length < 60);
      if (!page.hasMore) break;
    }
    expect(new Set(met.map(({ id }) => id)).size).toBe(60);
    expect(met.slice(0, 30).some(({ status }) => isTerminal(status))).toBe(false);
    const instants = met.map(({ fireAt }) => fireAt.getTime());
    expect(instants.slice(0, 30)).toEqual(instants.slice(0, 30).toSorted((a, b) => a - b));
    expect(instants.slice(30)).toEqual(instants.slice(30).toSorted((a, b) => b - a));
  },
);

it.each([7, 20, 100])("pages of %i rows with a q show each match once, in the same order", async (limit) => {
  const all = await listUpcomingFirst(await ctx(), { limit: 100, offset: 0 });
  // The targets end in 1 to 60, and those of each status in ten numbers in a row.
  const matches: [string, number[]][] = [
    ["/hook/4", [4, ...Array.from({ length: 10 }, (_, n) => 40 + n)]],
    ["/hook/59", [59]],
    ["hook/", Array.from({ length: 60 }, (_, n) => n + 1)],
    ["/4", [4, ...Array.from({ length: 10 }, (_, n) => 40 + n)]],
  ];
  for (const [q, numbers] of matches) {
    const matching = all.rows.filter(({ targetUrl }) => numbers.includes(Number(targetUrl.split("/").at(-1))));
    for (let offset = 0; offset < matching.length + 2 * limit; offset += limit) {
      const { rows, ...page } = await listUpcomingFirst(await ctx(), { limit, offset, q });
      expect(rows.map(({ id }) => id)).toEqual(matching.slice(offset, offset + limit).map(({ id }) => id));
      expect(page).toEqual({ hasMore: matching.length > offset + limit, total: matching.length, totalCapped: false });
    }
  }
});

it("the counts by status and in total are exact, also for a range", async () => {
  const counts = await countOwnByStatus(await ctx(), {});
  expect(counts.all).toEqual({ count: 60, isCapped: false });
  for (const status of STATUSES) expect(counts.byStatus[status]).toEqual({ count: 10, isCapped: false });
  const none = await countOwnByStatus(await ctx(), { to: new Date() });
  expect(none.all).toEqual({ count: 0, isCapped: false });
});

it("the count of what waits for an attempt has scheduled ones and those to be retried, of its environment alone", async () => {
  expect(await countOwnWaiting(await ctx())).toEqual({ count: 20, isCapped: false });
  expect(await countOwnWaiting(inEnvironment(await ctx(), "test"))).toEqual({ count: 0, isCapped: false });
});
