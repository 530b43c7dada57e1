import { afterAll, beforeAll, expect, it } from "vitest";
import { latenessZones } from "#components/charts/lateness-zones.ts";
import { decodeId } from "#domain/ids.ts";
import type { Overview } from "#server/overview/overview.ts";
import { answersOf } from "../../../app/(dashboard)/overview/answers.ts";
import type { View } from "../../../app/(dashboard)/view.ts";
import { recordTestAttempt, type TestAttempt } from "../../helpers/attempts.ts";
import { type Api, startApi, type TestCaller } from "./api.ts";
import { replayNow } from "./fire-now.ts";

const HOUR_MS = 3_600_000;
const view = { env: "live", path: "/overview", params: {} } as unknown as View;

let api: Api;
let caller: TestCaller;

beforeAll(async () => {
  api = await startApi();
  await api.sql`SELECT make_attempt_partitions((now() AT TIME ZONE 'utc')::date - 3, 4)`;
  caller = await api.account("indie");
});
afterAll(() => api.stop());

async function attempt(agoMs: number, offsetMs: number, given: Partial<TestAttempt> = {}): Promise<string> {
  const id = decodeId("sch", await api.create(caller.live)) as string;
  await recordTestAttempt(api.sql, id, { attemptedAt: new Date(Date.now() - agoMs), offsetMs, ...given });
  return id;
}

/** The attempts that the page of a link lists, as the API does. */
async function listed(href: string): Promise<{ total: number; items: { late_ms: number }[] }> {
  const { pathname, search } = new URL(href, "http://localhost");
  expect(pathname).toBe("/logs");
  const answer = await api.call("GET", `/v1/logs${search}`, caller.live);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

it("each figure that an overview draws leads to exactly the requests that it counts", async () => {
  const offsets = [-1_800, -3, 0, 0, 1, 4, 4, 9, 10, 29, 99, 100, 101, 198, 250, 251, 999, 1_200, 61_000, 3_000_000];
  for (const [at, offsetMs] of offsets.entries()) await attempt((at % 5) * HOUR_MS + 1_000, offsetMs);
  // A retry is no first attempt, however late it was.
  const retried = await attempt(3 * HOUR_MS, 5, { statusCode: 503 });
  await recordTestAttempt(api.sql, retried, { attemptedAt: new Date(Date.now() - HOUR_MS) });
  // The first known outcome counts.
  const interrupted = await attempt(2 * HOUR_MS, 7, { outcome: "interrupted", statusCode: null });
  await recordTestAttempt(api.sql, interrupted, { attemptedAt: new Date(Date.now() - HOUR_MS) });
  // What is to fire at once cannot be late.
  const copy = decodeId("sch", await replayNow(api, caller)) as string;
  await recordTestAttempt(api.sql, copy, { attemptedAt: new Date(Date.now() + 400) });

  const { body } = await api.call("GET", "/v1/overview", caller.live);
  const span = { startsAt: new Date(body.series[0].t), stepMs: HOUR_MS, steps: body.series.length };
  const answers = answersOf(view, { span } as Overview);
  expect(body.series.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(offsets.length + 2);
  for (const { t, count } of body.series) {
    expect((await listed(answers.bucket({ startsAt: new Date(t) }))).total, t).toBe(count);
  }
  const outcomes = await api.sql`
    SELECT hour, coalesce(sum(n) FILTER (WHERE bucket = 2), 0)::integer AS delivered,
      coalesce(sum(n) FILTER (WHERE bucket <> 2), 0)::integer AS failed
    FROM account_counts WHERE account_id = ${caller.accountId} AND kind = 'outcome' GROUP BY hour`;
  for (const { hour, delivered, failed } of outcomes) {
    expect((await listed(answers.outcomes({ startsAt: hour }, "succeeded"))).total, hour).toBe(delivered);
    expect((await listed(answers.outcomes({ startsAt: hour }, "failed"))).total, hour).toBe(failed);
  }
  for (const zone of latenessZones(body.histogram)) {
    expect((await listed(answers.zone(zone))).total, JSON.stringify(zone)).toBe(zone.count);
  }
  expect((await listed(answers.attempts)).total).toBe(body.recent_volume);
  const late = (await listed(answers.late)).items.map(({ late_ms }) => late_ms);
  expect(late.slice(1)).toEqual([3_000_000, 61_000, 1_200, 999, 251]);
  // The interrupted one was sent an hour after it was due.
  expect(late[0]).toBeGreaterThan(HOUR_MS);
});
