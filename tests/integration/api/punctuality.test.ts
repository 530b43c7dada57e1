import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { decodeId } from "#domain/ids.ts";
import { recordTestAttempt, type TestAttempt } from "../../helpers/attempts.ts";
import { type Api, startApi, type TestCaller } from "./api.ts";
import { moveToNow, replayNow } from "./fire-now.ts";

const PATH = "/v1/status/punctuality";
const HOUR_MS = 3_600_000;
const QUARTER_MS = 900_000;

let api: Api;
let caller: TestCaller;

// Each test has a service of its own, since an answer is cached for 30 s.
beforeEach(async () => {
  api = await startApi();
  caller = await api.account();
});
afterEach(() => api.stop());

async function attempted(attempt: Partial<TestAttempt> = {}, key = caller.live): Promise<string> {
  const id = decodeId("sch", await api.create(key)) as string;
  await recordTestAttempt(api.sql, id, { attemptedAt: new Date(), offsetMs: 1, ...attempt });
  return id;
}

describe("GET /v1/status/punctuality 200", () => {
  it("is all zeros when nothing was sent, and needs no credential", async () => {
    const { status, body } = await api.call("GET", PATH);
    expect(status).toBe(200);
    expect(body).toEqual({
      window: "24h",
      sent: 0,
      on_time_rate: 0,
      on_time_within_ms: 250,
      offset_ms: { p50: 0, p95: 0 },
      updated_at: expect.any(String),
      histogram: [],
      series: expect.any(Array),
    });
    expect(body.series).toHaveLength(96);
    for (const { count, p50, p95 } of body.series) expect([count, p50, p95]).toEqual([0, null, null]);
    const [first, last] = [body.series[0].t, body.series.at(-1).t].map(Date.parse) as [number, number];
    expect([last - first, last % QUARTER_MS]).toEqual([95 * QUARTER_MS, 0]);
    expect(Date.parse(body.updated_at) - last).toBeLessThan(QUARTER_MS);
    expect(Math.abs(Date.parse(body.updated_at) - Date.now())).toBeLessThan(60_000);
  });

  it("counts a schedule once, by its first attempt, as on time up to 250 ms", async () => {
    await attempted({ offsetMs: 250 });
    await attempted({ offsetMs: 251 });
    const retried = await attempted({ offsetMs: 0, statusCode: 500 });
    await recordTestAttempt(api.sql, retried, { attemptedAt: new Date(), statusCode: 200 });
    await attempted({ outcome: "interrupted", statusCode: null });
    const { body } = await api.call("GET", PATH);
    expect(body).toMatchObject({ sent: 3, on_time_rate: 2 / 3 });
  });

  it("counts early requests as on the instant", async () => {
    for (const offsetMs of [-300, -200, -100]) await attempted({ offsetMs });
    await attempted({ offsetMs: 40 });
    expect((await api.call("GET", PATH)).body).toMatchObject({
      sent: 4,
      on_time_rate: 1,
      offset_ms: { p50: 0, p95: 40 },
    });
  });

  it("omits the test environment, schedules that their own account held back, and what is older than the window", async () => {
    await attempted();
    await attempted({ offsetMs: 5_000 }, caller.test);
    await attempted({ offsetMs: 5_000, isPublic: false });
    await attempted({ offsetMs: 5_000, attemptedAt: new Date(Date.now() - 25 * HOUR_MS) });
    expect((await api.call("GET", PATH)).body).toMatchObject({ sent: 1, offset_ms: { p50: 1, p95: 1 } });
  });

  it("omits what nobody could have sent earlier: replays that fire now, and moves to now", async () => {
    await attempted();
    const moved = await api.create(caller.live);
    await moveToNow(api, caller, moved);
    for (const id of [await replayNow(api, caller), moved]) {
      const { body } = await api.call("GET", `/v1/schedules/${id}`, caller.live);
      const attemptedAt = new Date(Date.parse(body.fire_at) + 5_000);
      await recordTestAttempt(api.sql, decodeId("sch", id) as string, { attemptedAt });
    }
    expect((await api.call("GET", PATH)).body).toMatchObject({
      sent: 1,
      on_time_rate: 1,
      histogram: [{ ms: 1, count: 1 }],
    });
  });

  it("has all of them in a histogram and in the quarter of an hour in which they fired", async () => {
    const [agoMs, nowMs] = [7 * HOUR_MS, Date.now()];
    for (const offsetMs of [-5, 0, 3, 3]) await attempted({ offsetMs, attemptedAt: new Date(nowMs) });
    for (const offsetMs of [3, 7_000]) await attempted({ offsetMs, attemptedAt: new Date(nowMs - agoMs) });
    const { body } = await api.call("GET", PATH);
    expect(body.histogram.slice(0, 2)).toEqual([
      { ms: 0, count: 2 },
      { ms: 3, count: 3 },
    ]);
    expect(body.histogram).toHaveLength(3);
    expect(Math.abs(body.histogram[2].ms - 7_000)).toBeLessThan(140);
    const filled = body.series.filter(({ count }: { count: number }) => count > 0);
    expect(filled.map(({ count }: { count: number }) => count)).toEqual([2, 4]);
    expect(filled[1]).toMatchObject({ p50: 0, p95: 3 });
    expect(Date.parse(filled[1].t) - Date.parse(filled[0].t)).toBe(agoMs);
  });

  it("adds up all accounts", async () => {
    const other = await api.account("indie");
    for (let n = 0; n < 3; n++) await attempted({ attemptedAt: new Date(Date.now() - n * 7 * HOUR_MS) });
    for (let n = 0; n < 2; n++) await attempted({}, other.live);
    expect((await api.call("GET", PATH)).body.sent).toBe(5);
  });

  it("may be read by any page and cached for 30 s, and is computed once in that time", async () => {
    const first = await api.call("GET", PATH);
    expect(first.headers.get("cache-control")).toBe("public, max-age=30");
    expect(first.headers.get("access-control-allow-origin")).toBe("*");
    expect(first.headers.get("etag")).toMatch(/^"[\w-]{22}"$/);
    await attempted();
    const second = await api.call("GET", PATH);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get("etag")).toBe(first.headers.get("etag"));
  });

  it("is the same for callers with any kind of credential", async () => {
    const plain = await api.call("GET", PATH);
    for (const credential of [caller.live, "sw_live_nonsense"]) {
      expect((await api.call("GET", PATH, credential)).body).toEqual(plain.body);
    }
  });
});

describe("GET /v1/status/punctuality 304", () => {
  it("answers a caller that already has it, without a body", async () => {
    const etag = (await api.call("GET", PATH)).headers.get("etag") as string;
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const answer = await api.call("GET", PATH, null, undefined, { "if-none-match": known });
      expect([answer.status, answer.text, answer.headers.get("etag")], known).toEqual([304, "", etag]);
    }
    expect((await api.call("GET", PATH, null, undefined, { "if-none-match": '"other"' })).status).toBe(200);
  });
});

describe("GET /v1/status/punctuality 400", () => {
  it("answers any parameter", async () => {
    expect((await api.call("GET", `${PATH}?env=test`)).status).toBe(400);
  });
});
