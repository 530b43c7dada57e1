import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decodeId, encodeId, newId } from "#domain/ids.ts";
import { recordTestAttempt, type TestAttempt } from "../../helpers/attempts.ts";
import { type Api, startApi, type TestCaller } from "./api.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

let api: Api;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

async function logs(caller: TestCaller, query = "") {
  const answer = await api.call("GET", `/v1/logs${query}`, caller.live);
  expect(answer.status, answer.text).toBe(200);
  return {
    ...answer.body,
    ids: answer.body.items.map((item: { schedule_id: string }) => item.schedule_id),
    link: answer.headers.get("link"),
  };
}

/** A schedule with one attempt for each of `attempts`, made so many ms ago. */
async function attempted(
  key: string,
  attempts: (Omit<TestAttempt, "attemptedAt"> & { agoMs: number })[],
  body: object = {},
): Promise<string> {
  const id = await api.create(key, body);
  for (const [at, { agoMs, ...attempt }] of attempts.entries()) {
    const attemptedAt = new Date(Date.now() - agoMs);
    await recordTestAttempt(api.sql, decodeId("sch", id) as string, {
      ...attempt,
      attemptedAt,
      ...(at === 0 && { offsetMs: attempt.offsetMs ?? 1 }),
    });
  }
  return id;
}

describe("GET /v1/logs 200", () => {
  it("shows one row per attempt, retries included, newest first, with what the schedule was to send", async () => {
    const caller = await api.account();
    const body = { targetUrl: "https://example.com/a?b=c", method: "PUT" };
    const id = await attempted(
      caller.live,
      [
        { agoMs: 3_000, statusCode: null, outcome: "unreachable", errorText: "ECONNREFUSED", latencyMs: 7 },
        { agoMs: 2_000, statusCode: 503, errorText: "busy" },
        { agoMs: 1_000, statusCode: 204 },
      ],
      body,
    );
    const page = await logs(caller);
    expect(page).toMatchObject({ total: 3, limit: 20, offset: 0, retention_days: 7 });
    expect(page.total_capped).toBeUndefined();
    const row = { schedule_id: id, target_url: body.targetUrl, method: "PUT" };
    expect(page.items).toMatchObject([
      { ...row, attempt: 3, status_code: 204, error_text: "" },
      { ...row, attempt: 2, status_code: 503, error_text: "busy" },
      { ...row, attempt: 1, status_code: null, error_text: "ECONNREFUSED", latency_ms: 7 },
    ]);
  });

  it("orders attempts of one instant by their schedules' ids", async () => {
    const caller = await api.account();
    const at = new Date(Date.now() - 5_000);
    const ids: string[] = [];
    for (let n = 0; n < 6; n++) {
      const id = await api.create(caller.live);
      await recordTestAttempt(api.sql, decodeId("sch", id) as string, {
        attemptedAt: at,
        offsetMs: 0,
        statusCode: n % 2 ? 200 : 500,
      });
      ids.unshift(id);
    }
    expect((await logs(caller)).ids).toEqual(ids);
    expect([...(await logs(caller, "?limit=4")).ids, ...(await logs(caller, "?limit=4&offset=4")).ids]).toEqual(ids);
  });

  it("pages without gap or repetition, and links to its neighbours", async () => {
    const caller = await api.account();
    for (let n = 0; n < 5; n++) await attempted(caller.live, [{ agoMs: (n + 1) * MINUTE_MS }]);
    const all = await logs(caller);
    const first = await logs(caller, "?limit=2");
    expect(first).toMatchObject({ total: 5, limit: 2, ids: all.ids.slice(0, 2) });
    expect(first.link).toBe('<https://api.example.com/v1/logs?limit=2&offset=2>; rel="next"');
    expect(await logs(caller, "?limit=2&offset=4")).toMatchObject({ total: 5, ids: all.ids.slice(4) });
    expect(await logs(caller, "?offset=5")).toMatchObject({ total: 5, ids: [] });
  });

  it("leads by rel=next from offset 10,000 to every row once, while others are recorded", async () => {
    const caller = await api.account();
    const id = decodeId("sch", await attempted(caller.live, [{ agoMs: 1_000 }])) as string;
    await api.sql`
      INSERT INTO attempts (schedule_id, attempt, attempted_at, account_id, env, outcome, status_code, latency_ms, error_text)
      SELECT ${id}, n + 1, now() - interval '1 min' - (n / 3) * interval '1 ms', ${caller.accountId}, 'live',
        CASE n % 2 WHEN 0 THEN 'delivered' ELSE 'rejected' END, CASE n % 2 WHEN 0 THEN 200 ELSE 500 END, 1, ''
      FROM generate_series(1, 10450) n`;
    const seen: string[] = [];
    for (let next: string | undefined = "?limit=100&offset=10000"; next; ) {
      const page: Awaited<ReturnType<typeof logs>> = await logs(caller, next);
      seen.push(
        ...page.items.map((row: { attempted_at: string; attempt: number }) => `${row.attempted_at} ${row.attempt}`),
      );
      next = /v1\/logs(\?[^>]*after[^>]*)>; rel="next"/.exec(page.link ?? "")?.[1];
      await attempted(caller.live, [{ agoMs: 10 }]);
    }
    expect(seen).toHaveLength(451);
    expect(new Set(seen).size).toBe(451);
  });

  it("filters by outcome, where interrupted, blocked and unanswered attempts count as failed", async () => {
    const caller = await api.account();
    const ok = await attempted(caller.live, [{ agoMs: 1_000 }]);
    const failures = [
      await attempted(caller.live, [{ agoMs: 5_000, outcome: "interrupted", statusCode: null }]),
      await attempted(caller.live, [{ agoMs: 4_000, outcome: "blocked", statusCode: null, status: "dead" }]),
      await attempted(caller.live, [{ agoMs: 3_000, statusCode: 301 }]),
    ];
    expect(await logs(caller, "?outcome=succeeded")).toMatchObject({ total: 1, ids: [ok] });
    expect(await logs(caller, "?outcome=failed")).toMatchObject({ total: 3, ids: failures.toReversed() });
  });

  it("filters by class of the status code, or by its absence", async () => {
    const caller = await api.account();
    const codes: Record<string, number | null> = { "2xx": 299, "3xx": 302, "4xx": 404, "5xx": 500, none: null };
    for (const statusCode of Object.values(codes)) await attempted(caller.live, [{ agoMs: 1_000, statusCode }]);
    for (const [code, statusCode] of Object.entries(codes)) {
      expect(await logs(caller, `?code=${code}`), code).toMatchObject({
        total: 1,
        items: [{ status_code: statusCode }],
      });
    }
    expect(await logs(caller, "?code=2xx&outcome=failed")).toMatchObject({ total: 0 });
    expect(await logs(caller, "?code=5xx&outcome=failed")).toMatchObject({ total: 1 });
  });

  it("limits attempted_at by from (inclusive) and to (exclusive)", async () => {
    const caller = await api.account();
    for (let n = 0; n < 4; n++) await attempted(caller.live, [{ agoMs: n * HOUR_MS + 1_000 }]);
    const { items } = await logs(caller);
    const query = new URLSearchParams({ from: items[2].attempted_at, to: items[0].attempted_at });
    expect((await logs(caller, `?${query}`)).items).toEqual(items.slice(1, 3));
  });

  it("shows the attempts of one schedule, and nothing of a schedule of another account", async () => {
    const [caller, other] = [await api.account(), await api.account()];
    const id = await attempted(caller.live, [{ agoMs: 2_000, statusCode: 500 }, { agoMs: 1_000 }]);
    await attempted(caller.live, [{ agoMs: 500 }]);
    expect(await logs(caller, `?schedule_id=${id}`)).toMatchObject({ total: 2, ids: [id, id] });
    expect(await logs(caller, `?schedule_id=${id}&outcome=failed&q=example`)).toMatchObject({ total: 1 });
    expect(await logs(other, `?schedule_id=${id}`)).toMatchObject({ total: 0 });
    expect(await logs(caller, `?schedule_id=${encodeId("sch", newId(Date.now()))}`)).toMatchObject({ total: 0 });
  });

  it("finds a substring of the target in any letter case, or a whole schedule id", async () => {
    const caller = await api.account();
    const orders = await attempted(caller.live, [{ agoMs: 2_000 }], { targetUrl: "https://example.com/Orders/1%25" });
    const users = await attempted(caller.live, [{ agoMs: 1_000 }], { targetUrl: "https://example.com/users/1" });
    expect((await logs(caller, "?q=oRDERS")).ids).toEqual([orders]);
    expect((await logs(caller, "?q=%25")).ids).toEqual([orders]);
    expect((await logs(caller, "?q=e_a")).ids).toEqual([]);
    expect((await logs(caller, `?q=${users}`)).ids).toEqual([users]);
    expect((await logs(caller, `?q=${users.slice(0, -1)}`)).ids).toEqual([]);
  });

  it("hides attempts older than the plan's window to the minute, also from the total", async () => {
    for (const [plan, days] of [
      ["free", 7],
      ["indie", 30],
    ] as const) {
      const caller = await api.account(plan);
      await api.sql`SELECT make_attempt_partitions((now() AT TIME ZONE 'utc')::date - ${days + 2}::int, ${days + 3})`;
      const inside = await attempted(caller.live, [{ agoMs: days * DAY_MS - MINUTE_MS }]);
      await attempted(caller.live, [{ agoMs: days * DAY_MS + MINUTE_MS }]);
      await attempted(caller.live, [{ agoMs: days * DAY_MS + 2 * HOUR_MS }]);
      expect(await logs(caller), plan).toMatchObject({ total: 1, ids: [inside], retention_days: days });
      expect(await logs(caller, "?outcome=succeeded"), plan).toMatchObject({ total: 1 });
      expect(await logs(caller, "?q=example"), plan).toMatchObject({ total: 1 });
      expect(await logs(caller, "?from=2020-01-01T00:00:00Z"), plan).toMatchObject({ total: 1 });
    }
  });

  it("shows an environment's own attempts, to its key and to a session that asks for it", async () => {
    const caller = await api.account();
    const live = await attempted(caller.live, [{ agoMs: 2_000 }]);
    const test = await attempted(caller.test, [{ agoMs: 1_000 }]);
    expect((await logs(caller)).ids).toEqual([live]);
    const ofTest = await api.call("GET", "/v1/logs", caller.test);
    expect(ofTest.body).toMatchObject({ total: 1, items: [{ schedule_id: test }] });
    const session = await api.session(caller.accountId);
    expect((await api.call("GET", "/v1/logs", session)).body.items[0].schedule_id).toBe(live);
    expect((await api.call("GET", "/v1/logs?env=test", session)).body.items[0].schedule_id).toBe(test);
  });
});

describe("GET /v1/logs 400", () => {
  it.each([
    "outcome=scheduled",
    "code=2XX",
    "code=20",
    "schedule_id=1",
    "schedule_id=key_00000000000000000000000000",
    "from=yesterday",
    "limit=0",
    "offset=10001",
    `q=${"x".repeat(201)}`,
    "q=",
    "status=failed",
    "outcome=failed&outcome=failed",
    "env=test",
  ])("answers ?%s", async (query) => {
    const answer = await api.call("GET", `/v1/logs?${query}`, (await api.account()).live);
    expect(answer.status).toBe(400);
    expect(answer.body.error.details[0].path).toBe(query.split("=")[0]);
  });
});

describe("GET /v1/logs 401", () => {
  it("answers a call without a credential", async () => {
    expect((await api.call("GET", "/v1/logs")).status).toBe(401);
  });
});
