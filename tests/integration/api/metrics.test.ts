// Needs: promtool

import postgres from "postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { GET } from "#app/metricsz/route.ts";
import { MetricsAnswer } from "#contract/health.ts";
import { readQueueFigures } from "#db/queries/fleet/queue-figures.ts";
import { newId } from "#domain/ids.ts";
import { SOCKET_ADDRESS_HEADER, socketAddressValue } from "#server/http/socket-address.ts";
import { startServices } from "#server/services.ts";
import { hasPromtool, lintMetrics } from "../../helpers/promtool.ts";
import { type Api, call, startApi, testConfig } from "./api.ts";

const TOKEN = "a-token-of-the-operator";
let api: Api;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

/** A web process of its own, so that nothing is cached from the test before. */
function open(settings: Record<string, string> = {}) {
  startServices(testConfig(api.config.databaseUrl, { BASE_URL: "http://localhost:3000", ...settings }));
}

/** Fetches from the route directly, since `call` parses JSON. */
async function text(headers: Record<string, string> = {}, query = "") {
  const request = new Request(`http://127.0.0.1/metricsz${query}`, { headers });
  const answer = await GET(request, { params: Promise.resolve({}) });
  return { type: answer.headers.get("content-type"), text: await answer.text() };
}

async function insertSchedules(accountId: string, rows: { status: string; dueInS: number }[]) {
  for (const { status, dueInS } of rows) {
    const tried = status === "scheduled" ? 0 : 1;
    await api.sql`
      INSERT INTO schedules (id, account_id, env, shard, status, attempts, early_fire, fire_at, next_attempt_at, claim_deadline,
        payload_size_bytes, sealed_bytes, origin)
      SELECT ${newId(Date.now())}, id, 'live', shard, ${status}, ${tried}, false, now(), now() + ${dueInS} * interval '1 second',
        CASE WHEN ${status} = 'firing' THEN now() END, 0, 0, 'https://example.com' FROM accounts WHERE id = ${accountId}`;
  }
}

describe("GET /metricsz", () => {
  beforeEach(async () => {
    await api.sql`TRUNCATE schedules, dispatchers`;
    await api.sql`UPDATE shards SET owner = NULL, lease_until = '-infinity'`;
    open();
  });

  it("counts what is due, firing, scheduled and failed, and shows the age of the oldest", async () => {
    const { accountId } = await api.account();
    await insertSchedules(accountId, [
      { status: "scheduled", dueInS: 60 },
      { status: "scheduled", dueInS: 3_600 },
      { status: "scheduled", dueInS: -5 },
      { status: "failed", dueInS: 60 },
      { status: "failed", dueInS: -90 },
      { status: "firing", dueInS: -200 },
    ]);
    const { status, headers, body } = await call("GET", "/metricsz");
    expect([status, headers.get("content-type"), headers.get("cache-control")]).toEqual([
      200,
      "application/json",
      "no-store",
    ]);
    const { queue, punctuality, dispatchers } = MetricsAnswer.parse(body);
    expect(queue).toMatchObject({ due: 2, firing: 1, scheduled: 3, failed: 2, estimated: false });
    expect(queue.oldest_due_ms).toBeGreaterThanOrEqual(90_000);
    expect(queue.oldest_due_ms).toBeLessThan(120_000);
    expect(punctuality).toMatchObject({ window: "24h", sent: 0 });
    expect(dispatchers).toEqual([]);
  });

  it("does not count as due the schedules of deactivated accounts", async () => {
    const [active, deactivated] = [await api.account(), await api.account()];
    await insertSchedules(deactivated.accountId, [
      { status: "scheduled", dueInS: -7_200 },
      { status: "failed", dueInS: -7_200 },
    ]);
    await insertSchedules(active.accountId, [{ status: "scheduled", dueInS: -10 }]);
    await api.sql`UPDATE accounts SET status = 'deactivated' WHERE id = ${deactivated.accountId}`;
    const { queue } = (await call("GET", "/metricsz")).body;
    expect(queue).toMatchObject({ due: 1, scheduled: 2, failed: 1 });
    expect(queue.oldest_due_ms).toBeLessThan(60_000);
  });

  it("lists the dispatchers with their heartbeat, skew and shards, without those that were shut down properly", async () => {
    const [alive, silent, stopped, forgotten] = [1, 2, 3, 4].map((n) => newId(n * 1_000)) as [
      string,
      string,
      string,
      string,
    ];
    const insert = (id: string, beatAgeS: number, stoppedAt: Date | null) => api.sql`
      INSERT INTO dispatchers (id, host, pid, version, started_at, beat_at, stopped_at, skew_ms)
      VALUES (${id}, 'h', 7, '1.0.0', now() - interval '2 hours', now() - ${beatAgeS} * interval '1 second', ${stoppedAt}, 0.5)`;
    const sinceMs = performance.now();
    await insert(alive, 2, null);
    await insert(silent, 20, null);
    await insert(stopped, 20, new Date());
    await insert(forgotten, 4_000, null);
    await api.sql`UPDATE shards SET owner = ${alive}, lease_until = now() + interval '1 min' WHERE id < 40`;
    await api.sql`UPDATE shards SET owner = ${silent}, lease_until = now() - interval '5 s' WHERE id >= 40`;
    const { dispatchers } = MetricsAnswer.parse((await call("GET", "/metricsz")).body);
    expect(dispatchers).toMatchObject([
      { id: alive, host: "h", pid: 7, version: "1.0.0", alive: true, skew_ms: 0.5, shards: 40 },
      { id: silent, alive: false, shards: 0 },
    ]);
    const passedMs = performance.now() - sinceMs;
    for (const [at, ageMs] of [2_000, 20_000].entries()) {
      expect(dispatchers[at]?.beat_age_ms).toBeGreaterThanOrEqual(ageMs);
      expect(dispatchers[at]?.beat_age_ms).toBeLessThanOrEqual(ageMs + passedMs + 1);
    }
  });

  it("is Prometheus text for callers that accept that and not JSON, or ask for it", async () => {
    await api.sql`
      INSERT INTO dispatchers (id, host, pid, version, skew_ms)
      VALUES ('00000000-0000-7000-8000-000000000001', ${'a"b\\c'}, 7, '1', 250)`;
    const accept = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1";
    // Both are texts of one read, which is kept for a second by this clock.
    const clock = vi.spyOn(performance, "now").mockReturnValue(performance.now());
    const texts = Promise.all([text({ accept }), text({}, "?format=prometheus")]);
    const [asked, named] = await texts.finally(() => clock.mockRestore());
    expect(asked.type).toBe("text/plain; version=0.0.4; charset=utf-8");
    const lines = asked.text.trimEnd().split("\n");
    const labels = 'dispatcher="00000000-0000-7000-8000-000000000001",host="a\\"b\\\\c"';
    expect(lines).toContain(`stopwatch_dispatcher_skew_seconds{${labels}} 0.25`);
    expect(lines).toContain("stopwatch_dispatchers 1");
    expect(lines).toContain("stopwatch_queue_due 0");
    for (const line of lines) {
      expect(line).toMatch(
        /^(# (HELP|TYPE) stopwatch_\w+ .+|stopwatch_\w+(\{(\w+="([^"\\]|\\.)*",?)+\})? -?\d+(\.\d+)?)$/,
      );
    }
    // The label of summaries alone.
    expect(asked.text).not.toContain("quantile=");
    expect(named.text).toBe(asked.text);
    expect((await text({ accept: "text/plain" }, "?format=json")).text).toMatch(/^{/);
    for (const accept of ["application/json, text/plain, */*", "text/html,*/*;q=0.8", "*/*"]) {
      expect((await text({ accept })).type).toBe("application/json");
    }
  });

  it.skipIf(!hasPromtool)(
    "has nothing that Prometheus' own checker finds (skipped where it is not installed)",
    async () => {
      await api.sql`INSERT INTO dispatchers (id, host, pid, version, skew_ms) VALUES (gen_random_uuid(), 'h', 7, '1', 0.5)`;
      expect(lintMetrics((await text({}, "?format=prometheus")).text)).toBe("");
    },
  );

  it("refuses an unknown format, and ignores unknown parameters", async () => {
    for (const query of ["?x=1", "?_=1767225600&x&x", "?format=json&x="]) {
      expect(await call("GET", `/metricsz${query}`)).toMatchObject({ status: 200 });
    }
    for (const query of ["?format=xml", "?format=", "?format=json&format=json"]) {
      expect(await call("GET", `/metricsz${query}`)).toMatchObject({ status: 400 });
    }
  });
});

describe("access to GET /metricsz", () => {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  it("is open to everybody while the service is reached over plain http", async () => {
    open({ METRICS_TOKEN: TOKEN });
    expect(await call("GET", "/metricsz")).toMatchObject({ status: 200 });
  });

  it("requires the token when the service is reached over https", async () => {
    open({ BASE_URL: "https://api.example.com", METRICS_TOKEN: TOKEN });
    expect(await call("GET", "/metricsz", TOKEN)).toMatchObject({ status: 200 });
    const { live } = await api.account();
    for (const headers of [{}, bearer(`${TOKEN}x`), bearer(TOKEN.slice(1)), bearer(live), { authorization: TOKEN }]) {
      const answer = await call("GET", "/metricsz", null, undefined, headers);
      expect(answer).toMatchObject({ status: 401, body: { error: { code: "UNAUTHORIZED" } } });
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
      expect(answer.text).not.toContain(TOKEN);
    }
  });

  it("is closed to everybody over https while no token is set", async () => {
    open({ BASE_URL: "https://api.example.com" });
    expect(await call("GET", "/metricsz", "undefined")).toMatchObject({ status: 401 });
    expect(await call("GET", "/metricsz")).toMatchObject({ status: 401 });
  });

  it("is rate-limited: refusals of tokens count like those of any credential", async () => {
    open({ BASE_URL: "https://api.example.com", METRICS_TOKEN: TOKEN });
    const guess = () =>
      call("GET", "/metricsz", "guess", undefined, { [SOCKET_ADDRESS_HEADER]: socketAddressValue("203.0.113.9") });
    const answers = await Promise.all(Array.from({ length: 650 }, guess));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]));
  });
});

it("GET /metricsz caps or estimates large counts, so that its reads do not grow with them", async () => {
  const { accountId } = await api.account();
  const insert = (rows: number, dueInS: number) => api.sql`
    INSERT INTO schedules (id, account_id, env, shard, early_fire, fire_at, next_attempt_at, payload_size_bytes, sealed_bytes, origin)
    SELECT gen_random_uuid(), id, 'live', shard, false, at, at, 0, 0, 'https://example.com'
    FROM accounts, generate_series(1, ${rows}) n, LATERAL (SELECT now() + ${dueInS} * interval '1 second' + n * interval '1 ms') t(at)
    WHERE accounts.id = ${accountId}`;
  await insert(25_000, -60);
  await insert(25_000, 3_600);
  await api.sql`ANALYZE schedules`;
  const sql = postgres(api.config.databaseUrl, { max: 1, onnotice: () => {} });
  const reads = async () => {
    await sql`SELECT pg_stat_force_next_flush()`;
    const [row] = await sql<[{ rows: number; scans: number }]>`
      SELECT (SELECT sum(idx_tup_read)::int FROM pg_stat_user_indexes WHERE relname = 'schedules') AS rows,
        (SELECT seq_scan::int FROM pg_stat_user_tables WHERE relname = 'schedules') AS scans`;
    return row;
  };
  const before = await reads();
  const figures = await readQueueFigures(sql);
  const after = await reads();
  await sql.end();
  expect(figures).toMatchObject({ due: 20_000, isEstimated: true });
  expect(figures.scheduled).toBeGreaterThan(45_000);
  expect(figures.scheduled).toBeLessThan(55_000);
  expect(after.scans).toBe(before.scans);
  expect(after.rows - before.rows).toBeLessThan(31_000);
});
