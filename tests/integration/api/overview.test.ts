import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { decodeId } from "#domain/ids.ts";
import { recordTestAttempt, type TestAttempt } from "../../helpers/attempts.ts";
import { untilHourLasts } from "../../helpers/until-hour-lasts.ts";
import { type Api, startApi, TARGET, type TestCaller } from "./api.ts";
import { moveToNow, replayNow } from "./fire-now.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let api: Api;

beforeAll(async () => {
  api = await startApi();
  await api.sql`SELECT make_attempt_partitions((now() AT TIME ZONE 'utc')::date - 40, 41)`;
});
afterAll(() => api.stop());
// Figures are counted by the hour, so none begins while a test makes its attempts and reads them.
beforeEach(() => untilHourLasts(20_000));

async function overview(caller: TestCaller, query = "") {
  const answer = await api.call("GET", `/v1/overview${query}`, caller.live);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

async function attempted(key: string, agoMs: number, attempt: Partial<TestAttempt> = {}): Promise<string> {
  const id = decodeId("sch", await api.create(key)) as string;
  await recordTestAttempt(api.sql, id, { attemptedAt: new Date(Date.now() - agoMs), offsetMs: 1, ...attempt });
  return id;
}

const floorTo = (stepMs: number) => Math.floor(Date.now() / stepMs) * stepMs;
const sum = (series: { count: number }[]) => series.reduce((all, { count }) => all + count, 0);

describe("GET /v1/overview 200", () => {
  it.each([
    ["24h", HOUR_MS, 24, 24],
    ["7d", 6 * HOUR_MS, 28, 28],
    ["30d", DAY_MS, 7, 30],
  ])(
    "shows %s in UTC buckets up to the current one, as many as the plan's window has",
    async (period, stepMs, ofFree, ofIndie) => {
      for (const [plan, steps] of [
        ["free", ofFree],
        ["indie", ofIndie],
      ] as const) {
        const caller = await api.account(plan);
        const last = floorTo(stepMs);
        const answer = await overview(caller, `?period=${period}`);
        expect(answer.period).toBe(period);
        expect(answer.series).toEqual(
          Array.from({ length: steps }, (_, at) => ({
            t: new Date(last - (steps - 1 - at) * stepMs).toISOString(),
            count: 0,
            p50: null,
            p95: null,
          })),
        );
      }
    },
  );

  it("covers 24h by default, and is all zeros without attempts", async () => {
    expect(await overview(await api.account())).toMatchObject({
      period: "24h",
      active_schedules: 0,
      success_rate: 0,
      offset_ms: { p50: 0, p95: 0, min: 0, max: 0 },
      recent_volume: 0,
      needs_attention: { failed: 0, due_soon: 0, dead: 0 },
    });
  });

  it("counts attempts as volume, and 2xx among attempts with a known outcome as success", async () => {
    const caller = await api.account();
    const retried = await attempted(caller.live, 2_000, { statusCode: 500 });
    await recordTestAttempt(api.sql, retried, { attemptedAt: new Date(), statusCode: 200 });
    await attempted(caller.live, 1_000, { statusCode: null });
    await attempted(caller.live, 1_000, { outcome: "interrupted", statusCode: null });
    expect(await overview(caller)).toMatchObject({ recent_volume: 4, success_rate: 1 / 3 });
  });

  it("has how attempts ended by bucket and host, and schedules delivered in the end beside those that died", async () => {
    const caller = await api.account();
    const retried = await attempted(caller.live, 2_000, { statusCode: 503 });
    await recordTestAttempt(api.sql, retried, { attemptedAt: new Date(), statusCode: 204 });
    await attempted(caller.live, 1_000, { statusCode: null, errorText: "connection: ECONNREFUSED\nmore" });
    await attempted(caller.live, 1_500, { outcome: "interrupted", statusCode: null });
    await attempted(caller.live, 1_000, { statusCode: 410, status: "dead" });
    const { outcomes, series, ended, success_rate, hosts } = await overview(caller);
    const ts = (buckets: { t: string }[]) => buckets.map(({ t }) => t);
    expect(ts(outcomes)).toEqual(ts(series));
    const counts = { code_2xx: 1, code_3xx: 0, code_4xx: 1, code_5xx: 1, code_none: 1, interrupted: 1 };
    for (const [name, n] of Object.entries(counts))
      expect([name, outcomes.reduce((all: number, one: Record<string, number>) => all + (one[name] ?? 0), 0)]).toEqual([
        name,
        n,
      ]);
    expect(hosts).toEqual([
      { host: new URL(TARGET).host, attempts: 5, ...counts, dead: 1, last_error: "connection: ECONNREFUSED" },
    ]);
    expect(ended).toEqual({ delivered: 1, dead: 1, success_rate: 0.5 });
    expect(success_rate).toBe(1 / 4);
  });

  it("groups dead and retrying schedules into incidents, each of which leads to exactly its schedules", async () => {
    const caller = await api.account("indie");
    const failing = (agoMinutes: number, attempt: Partial<TestAttempt>) =>
      attempted(caller.live, agoMinutes * 60_000, {
        statusCode: 503,
        status: "dead",
        errorText: "closed\nmore",
        ...attempt,
      });
    for (const ago of [20, 15, 10, 600, 590]) await failing(ago, {});
    await failing(5, { status: "failed", errorText: "" });
    await failing(20, { statusCode: null, errorText: "connection: ECONNREFUSED" });
    const { incidents } = await overview(caller);
    expect(incidents).toMatchObject([
      { code: 503, class: "5xx", error: "closed", dead: 3, retrying: 1, next_attempt_at: expect.any(String) },
      { code: 503, class: "5xx", error: "closed", dead: 2, retrying: 0, next_attempt_at: null },
      { code: null, class: "none", error: "connection: ECONNREFUSED", dead: 1, retrying: 0, operation_id: null },
    ]);
    for (const { host, code, dead, retrying, from, to } of incidents)
      for (const [status, n] of Object.entries({ dead, failed: retrying })) {
        const query = new URLSearchParams({ status, host, code: `${code ?? "none"}`, from, to });
        const { body } = await api.call("GET", `/v1/schedules?${query}`, caller.live);
        expect([`${query}`, body.total]).toEqual([`${query}`, n]);
      }
    const { body } = await api.call("GET", "/v1/overview", caller.test);
    expect(body).toMatchObject({ incidents: [], hosts: [] });
  });

  it("counts replays that fire now and moves to now in volume and success rate, but not in the offsets", async () => {
    const caller = await api.account();
    const replayed = await replayNow(api, caller);
    const moved = await api.create(caller.live);
    await moveToNow(api, caller, moved);
    const movedOn = await api.create(caller.live);
    await moveToNow(api, caller, movedOn);
    const later = { fireAt: new Date(Date.now() + 60_000).toISOString() };
    expect((await api.call("PATCH", `/v1/schedules/${movedOn}`, caller.live, later)).status).toBe(200);
    // So that all of them are due before the end of this hour.
    await api.sql`
      UPDATE schedules SET created_at = created_at - interval '5 min', fire_at = fire_at - interval '5 min',
        moved_to_now_at = moved_to_now_at - interval '5 min' WHERE account_id = ${caller.accountId}`;
    for (const [id, lateMs] of [
      [replayed, 700],
      [moved, 800],
      [movedOn, 9],
    ] as const) {
      const { body } = await api.call("GET", `/v1/schedules/${id}`, caller.live);
      const attemptedAt = new Date(Date.parse(body.fire_at) + lateMs);
      await recordTestAttempt(api.sql, decodeId("sch", id) as string, { attemptedAt });
      const fired = await api.call("GET", `/v1/schedules/${id}`, caller.live);
      expect(fired.body.offset_ms).toBe(lateMs);
    }
    expect(await overview(caller)).toMatchObject({
      recent_volume: 3,
      success_rate: 1,
      offset_ms: { p50: 9, p95: 9, min: 9, max: 9 },
      histogram: [{ ms: 9, count: 1 }],
    });
  });

  it("counts a schedule in the bucket of its first attempt with a known outcome", async () => {
    const caller = await api.account("indie");
    const id = await attempted(caller.live, 30 * HOUR_MS, { outcome: "interrupted", statusCode: null });
    const firedAt = new Date(Date.now() - 29 * HOUR_MS);
    await recordTestAttempt(api.sql, id, { attemptedAt: firedAt, statusCode: 500 });
    await recordTestAttempt(api.sql, id, { attemptedAt: new Date(), statusCode: 200 });
    const day = await overview(caller);
    expect([sum(day.series), day.recent_volume]).toEqual([0, 1]);
    const week = await overview(caller, "?period=7d");
    expect([sum(week.series), week.recent_volume]).toEqual([1, 3]);
    const bucket = Math.floor(firedAt.getTime() / (6 * HOUR_MS)) * 6 * HOUR_MS;
    expect(week.series.find(({ count }: { count: number }) => count > 0).t).toBe(new Date(bucket).toISOString());
  });

  it("computes percentiles and extremes of the offsets, early ones included", async () => {
    const caller = await api.account();
    const hour = new Date(floorTo(HOUR_MS));
    for (const offsetMs of [-20, 3, 5, 7, 101]) await attempted(caller.live, 0, { attemptedAt: hour, offsetMs });
    const { offset_ms, series } = await overview(caller);
    // The bucket of 101 ends at 103. No percentile is beyond the extremes.
    expect(offset_ms).toEqual({ p50: 5, p95: 101, min: -20, max: 101 });
    expect(series.at(-1)).toEqual({ t: hour.toISOString(), count: 5, p50: 5, p95: 101 });
  });

  it("has each first attempt in its histogram, ascending, early ones as negative", async () => {
    const caller = await api.account();
    for (const offsetMs of [5, -20, 3, 5]) await attempted(caller.live, 1_000, { offsetMs });
    const retried = await attempted(caller.live, 2_000, { offsetMs: 0, statusCode: 500 });
    await recordTestAttempt(api.sql, retried, { attemptedAt: new Date(), statusCode: 200 });
    expect((await overview(caller)).histogram).toEqual([
      { ms: -20, count: 1 },
      { ms: 0, count: 1 },
      { ms: 3, count: 1 },
      { ms: 5, count: 2 },
    ]);
    expect((await overview(await api.account())).histogram).toEqual([]);
  });

  it("begins with its first bucket: earlier attempts are in no figure", async () => {
    const caller = await api.account();
    const start = floorTo(HOUR_MS) - 23 * HOUR_MS;
    const dead = { status: "dead", statusCode: 500 } as const;
    await attempted(caller.live, 0, { ...dead, attemptedAt: new Date(start), offsetMs: 10 });
    await attempted(caller.live, 0, { ...dead, attemptedAt: new Date(start - 1), offsetMs: 99 });
    const answer = await overview(caller);
    expect(answer).toMatchObject({ recent_volume: 1, offset_ms: { min: 10, max: 10 }, needs_attention: { dead: 1 } });
    expect(answer.series[0].count).toBe(1);
  });

  it("covers no more than the plan's window, though its period says 30d", async () => {
    const [free, indie] = [await api.account("free"), await api.account("indie")];
    for (const caller of [free, indie]) {
      await attempted(caller.live, 1_000);
      await attempted(caller.live, 8 * DAY_MS, { statusCode: 500, status: "dead" });
      await attempted(caller.live, 31 * DAY_MS);
    }
    expect(await overview(free, "?period=30d")).toMatchObject({
      period: "30d",
      recent_volume: 1,
      success_rate: 1,
      needs_attention: { dead: 0 },
    });
    expect(await overview(indie, "?period=30d")).toMatchObject({
      recent_volume: 2,
      success_rate: 0.5,
      needs_attention: { dead: 1 },
    });
  });

  it("counts active schedules and those that need attention", async () => {
    const caller = await api.account();
    const id = await api.create(caller.live);
    await api.create(caller.live, { fireAt: new Date(Date.now() + 30 * 60_000).toISOString() });
    await api.create(caller.live, { fireAt: new Date(Date.now() + 61 * 60_000).toISOString() });
    const firing = decodeId("sch", await api.create(caller.live)) as string;
    await api.sql`UPDATE schedules SET status = 'firing', attempts = 1, claim_deadline = now() WHERE id = ${firing}`;
    await attempted(caller.live, 1_000, { statusCode: 500 });
    await attempted(caller.live, 1_000, { statusCode: 410, status: "dead" });
    await attempted(caller.live, 1_000);
    await api.call("DELETE", `/v1/schedules/${id}`, caller.live);
    expect(await overview(caller)).toMatchObject({
      active_schedules: 4,
      needs_attention: { failed: 1, due_soon: 1, dead: 1 },
    });
  });

  it("has the figures, incidents and hosts of a time range in whole hours", async () => {
    const caller = await api.account("indie");
    const from = floorTo(HOUR_MS) - 30 * HOUR_MS;
    const at = (ms: number, attempt: Partial<TestAttempt> = {}) =>
      attempted(caller.live, 0, { attemptedAt: new Date(ms), ...attempt });
    const died = { status: "dead", statusCode: 503 } as const;
    await at(from - 1, { ...died, offsetMs: 90 });
    await at(from, { ...died, offsetMs: 10 });
    await at(from + 6 * HOUR_MS - 1, { offsetMs: 20 });
    await at(from + 6 * HOUR_MS, { ...died, offsetMs: 80 });
    const iso = (ms: number) => new Date(ms).toISOString();
    const answer = await overview(caller, `?from=${iso(from + 60_000)}&to=${iso(from + 6 * HOUR_MS - 60_000)}`);
    expect(answer).toMatchObject({
      period: "24h",
      from: iso(from),
      to: iso(from + 6 * HOUR_MS),
      recent_volume: 2,
      success_rate: 0.5,
      offset_ms: { min: 10, max: 20 },
      ended: { delivered: 1, dead: 1, success_rate: 0.5 },
      hosts: [{ attempts: 2, code_5xx: 1, dead: 1 }],
      needs_attention: { dead: 1 },
    });
    expect(answer.series.map(({ t }: { t: string }) => t)).toEqual(
      [0, 1, 2, 3, 4, 5].map((hour) => iso(from + hour * HOUR_MS)),
    );
    expect(answer.series.map(({ count }: { count: number }) => count)).toEqual([1, 0, 0, 0, 0, 1]);
    const since = await overview(caller, `?from=${iso(from + 6 * HOUR_MS)}`);
    expect(since).toMatchObject({ period: "7d", recent_volume: 1, to: iso(floorTo(HOUR_MS) + HOUR_MS) });
    expect(since.series).toHaveLength(25);
  });

  it("shows one environment, and nothing of another account", async () => {
    const [caller, other] = [await api.account(), await api.account()];
    await attempted(caller.live, 1_000);
    await attempted(caller.test, 1_000);
    await attempted(caller.test, 1_000, { statusCode: 500 });
    await attempted(other.live, 1_000);
    expect(await overview(caller)).toMatchObject({ recent_volume: 1, success_rate: 1, active_schedules: 0 });
    const ofTest = { recent_volume: 2, success_rate: 0.5, active_schedules: 1 };
    expect((await api.call("GET", "/v1/overview", caller.test)).body).toMatchObject(ofTest);
    const session = await api.session(caller.accountId);
    expect((await api.call("GET", "/v1/overview", session)).body).toMatchObject({ recent_volume: 1 });
    expect((await api.call("GET", "/v1/overview?env=test", session)).body).toMatchObject(ofTest);
  });
});

describe("GET /v1/overview 400", () => {
  it("refuses a range of which nothing is kept, one that ends before it begins, and one beside a period", async () => {
    const { live } = await api.account("free");
    const at = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
    for (const [query, path] of [
      [`from=${at(-20)}&to=${at(-10)}`, "from"],
      [`from=${at(1)}`, "from"],
      [`to=${at(-10)}`, "to"],
      [`from=${at(-1)}&to=${at(-2)}`, "to"],
      [`from=${at(-1)}&period=24h`, "period"],
      ["from=yesterday", "from"],
    ]) {
      const { status, body } = await api.call("GET", `/v1/overview?${query}`, live);
      expect([query, status, body.error.code]).toEqual([query, 400, "VALIDATION"]);
      expect(body.error.details.map((detail: { path: string }) => detail.path)).toEqual([path]);
    }
  });

  it.each(["period=1d", "period=", "periods=7d", "period=7d&period=7d", "env=test", "env=dev"])(
    "answers ?%s",
    async (query) => {
      const answer = await api.call("GET", `/v1/overview?${query}`, (await api.account()).live);
      expect(answer.status).toBe(400);
      expect(answer.body.error.details[0].path).toBe(query.split("=")[0]);
    },
  );
});

describe("GET /v1/overview 401", () => {
  it("answers a call without a credential", async () => {
    expect((await api.call("GET", "/v1/overview")).status).toBe(401);
  });
});
