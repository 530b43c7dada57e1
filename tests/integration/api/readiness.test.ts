import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { describeFault } from "#domain/database-fault.ts";
import { SOCKET_ADDRESS_HEADER, socketAddressValue } from "#server/http/socket-address.ts";
import { getServices, type Services, startServices } from "#server/services.ts";
import { SERVICE_ROLE } from "../../helpers/service-role.ts";
import { type Api, askReadiness, call, FUTURE, startApi, TARGET } from "./api.ts";

let api: Api;
let key: string;
let web: Services;

beforeAll(async () => {
  api = await startApi();
  key = (await api.account()).live;
  await api.sql`INSERT INTO dispatchers (id, host, pid, version) VALUES (gen_random_uuid(), 'h', 1, '0')`;
});
afterAll(() => api.stop());
beforeEach(async () => {
  await api.sql`UPDATE dispatchers SET beat_at = now()`;
  // A web process of its own, so that nothing is cached from the test before.
  web = startServices(api.config);
  return () => web.close();
});

const OK = { status: "ok", checks: { database: "ok", queue: "ok" } };

const from = (address: string) => ({ [SOCKET_ADDRESS_HEADER]: socketAddressValue(address) });

/** The answers of a web process that has nothing cached. */
async function answersNow() {
  await web.close();
  web = startServices(api.config);
  const [ready, create] = await Promise.all([
    askReadiness(),
    call("POST", "/v1/schedules", key, { targetUrl: TARGET, fireAt: FUTURE }),
  ]);
  return { ready: { status: ready.status, body: ready.body }, create };
}

it.each([
  [
    "privilege",
    "the right to store a schedule is lost",
    `REVOKE INSERT ON schedules FROM ${SERVICE_ROLE}`,
    `GRANT INSERT ON schedules TO ${SERVICE_ROLE}`,
  ],
  [
    "read_only",
    "the database takes no writes",
    "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database()); END $$",
    "SET default_transaction_read_only = off; DO $$ BEGIN EXECUTE format('ALTER DATABASE %I RESET default_transaction_read_only', current_database()); END $$",
  ],
] as const)("%s: when %s, /readyz and a create are 503 and say so, and it is counted", async (fault, _, begin, end) => {
  await api.sql.unsafe(begin);
  const counted = getServices().databaseErrors[fault];
  const { ready, create } = await answersNow();
  const metrics = await call("GET", "/metricsz?format=json");
  await api.sql.unsafe(end);
  expect(ready).toEqual({
    status: 503,
    body: { status: "unavailable", checks: { database: "unavailable", queue: "ok" }, reason: describeFault(fault) },
  });
  expect(create.status).toBe(503);
  expect(create.body.error.message).toContain(describeFault(fault));
  expect(create.body.error.message).not.toContain("cannot be reached");
  expect(getServices().databaseErrors[fault]).toBeGreaterThanOrEqual(counted + 2);
  expect([200, 401]).toContain(metrics.status);
  expect(await answersNow()).toMatchObject({ ready: { status: 200, body: OK }, create: { status: 201 } });
});

it("says why when no dispatcher is alive", async () => {
  await api.sql`UPDATE dispatchers SET beat_at = now() - interval '16 s'`;
  expect((await askReadiness()).body).toEqual({
    status: "unavailable",
    checks: { database: "ok", queue: "unavailable" },
    reason: "No dispatcher has had a heartbeat within 15 s: start one, or look into its log.",
  });
});

it("tells strangers in fixed words that it is not ready, without role, database or statement, and an operator why", async () => {
  await api.sql.unsafe(`REVOKE INSERT ON schedules FROM ${SERVICE_ROLE}`);
  await web.close();
  web = startServices({ ...api.config, metricsToken: "the-token" });
  const ask = (headers: Record<string, string>) => call("GET", "/readyz", null, undefined, headers);
  const strangers = await Promise.all(
    [
      {},
      from("203.0.113.9"),
      { ...from("127.0.0.1"), "x-forwarded-for": "203.0.113.9" },
      { ...from("127.0.0.1"), forwarded: "for=203.0.113.9" },
      { [SOCKET_ADDRESS_HEADER]: "forged 127.0.0.1" },
      { ...from("203.0.113.9"), authorization: "Bearer another-token" },
    ].map((headers) => ask(headers as Record<string, string>)),
  );
  const operators = await Promise.all(
    [from("127.0.0.1"), from("::1"), from("::ffff:127.0.0.1"), { authorization: "Bearer the-token" }].map((headers) =>
      ask(headers as Record<string, string>),
    ),
  );
  await api.sql.unsafe(`GRANT INSERT ON schedules TO ${SERVICE_ROLE}`);
  for (const { status, body } of strangers) {
    expect([status, body.reason]).toEqual([503, "The database does not take writes."]);
  }
  for (const { status, body } of operators) expect([status, body.reason]).toEqual([503, describeFault("privilege")]);
});

it("writes at most once a second, however many callers ask", async () => {
  // Each test write makes one temporary file.
  const written = async () => {
    await web.database.run(4_000, ({ sql }) => sql`SELECT pg_stat_force_next_flush()`);
    await api.sql`SELECT pg_stat_clear_snapshot()`;
    const [row] = await api.sql`SELECT temp_files::int AS n FROM pg_stat_database WHERE datname = current_database()`;
    return row?.n as number;
  };
  const before = await written();
  const since = performance.now();
  for (let round = 0; round < 10; round++) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => call("GET", "/readyz")));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  }
  const seconds = Math.ceil((performance.now() - since) / 1_000);
  await web.close();
  web = startServices(api.config);
  expect((await written()) - before).toBeLessThanOrEqual(seconds);
  expect((await written()) - before).toBeGreaterThanOrEqual(1);
});
