import postgres from "postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readIncidents } from "#db/queries/schedules/incidents.ts";
import { parseKeyRing } from "#domain/cipher.ts";
import { newId } from "#domain/ids.ts";
import type { IncidentGroup } from "#domain/incident.ts";
import { createTestAccount } from "#tests/helpers/accounts.ts";
import { recordTestAttempt } from "#tests/helpers/attempts.ts";
import { createTestDatabase, type TestDatabase } from "#tests/helpers/database.ts";
import { ENCRYPTION_KEYS } from "#tests/helpers/encryption-keys.ts";
import { createTestSchedule } from "#tests/helpers/schedules.ts";
import { nodesOf, watchStatements } from "#tests/helpers/statements.ts";

const RING = parseKeyRing(ENCRYPTION_KEYS);
const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;

let database: TestDatabase;
let sql: postgres.Sql;
let watched: ReturnType<typeof watchStatements>;
let accountId: string;
/** The beginning of the minute in which the test began, epoch ms. */
let minuteMs: number;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = postgres(database.url, { max: 1, onnotice: () => {} });
  watched = watchStatements(database.url);
});
afterAll(async () => {
  await watched?.close();
  await sql?.end();
  await database?.drop();
});
beforeEach(async () => {
  minuteMs = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  accountId = (await createTestAccount(sql, RING)).id;
});

const lastDay = () => ({ from: new Date(Date.now() - DAY_MS), to: new Date(Date.now() + MINUTE_MS) });
const minutesAgo = (minutes: number) => new Date(minuteMs - minutes * MINUTE_MS);
const read = () => readIncidents(watched.sql, { accountId, env: "live" }, lastDay(), 10);

type Ended = {
  host?: string;
  code?: number | null;
  text?: string;
  status?: "dead" | "failed" | "succeeded";
  of?: string;
};

/** A schedule that was due so many minutes ago, attempted once. Returns its UUID. */
async function attempted(dueMinutesAgo: number, { host = "a.example.com", code = 503, ...ended }: Ended = {}) {
  const id = await createTestSchedule(sql, RING, accountId, `https://${host}/in`, new Date(Date.now() + DAY_MS));
  const { status = "dead", text: errorText = "closed" } = ended;
  const attemptedAt = minutesAgo(dueMinutesAgo);
  await recordTestAttempt(sql, id, { statusCode: code, errorText, status, attemptedAt, offsetMs: 0 });
  if (ended.of) await sql`UPDATE schedule_requests SET replay_of = ${ended.of} WHERE schedule_id = ${id}`;
  return id;
}

const of = ({ groups }: { groups: IncidentGroup[] }) =>
  groups.map(({ host, code, dead, retrying }) => [host, code, dead, retrying]);

describe("dead and retrying schedules", () => {
  it("are grouped by host, with its port, and by the last answer, the largest group first", async () => {
    await attempted(5, { host: "b.example.com:8443" });
    await attempted(6, { code: null, text: "no answer within 30 s", status: "failed" });
    for (const minutes of [7, 8, 9]) await attempted(minutes);
    await attempted(10, { status: "failed" });
    await attempted(11, { status: "succeeded", code: 200 });
    const found = await read();
    expect(of(found)).toEqual([
      ["a.example.com", 503, 3, 1],
      ["b.example.com:8443", 503, 1, 0],
      ["a.example.com", null, 0, 1],
    ]);
    expect(found).toMatchObject({ total: 3, isCapped: false });
    const [first, , last] = found.groups;
    expect(first).toMatchObject({ from: minutesAgo(10), to: minutesAgo(7), deadFrom: minutesAgo(9), error: "closed" });
    expect(last).toMatchObject({ error: "no answer within 30 s", deadFrom: null, deadTo: null });
    expect(first?.nextAttemptAt?.getTime()).toBeGreaterThan(Date.now());
  });

  it("that were due more than an hour apart are different groups", async () => {
    for (const minutes of [300, 250, 195, 130, 80]) await attempted(minutes);
    expect((await read()).groups.map(({ dead, from, to }) => [dead, from, to])).toEqual([
      [3, minutesAgo(300), minutesAgo(195)],
      [2, minutesAgo(130), minutesAgo(80)],
    ]);
  });

  it("are as many in a group as are due in its range, and a group without an attempt since then is left out", async () => {
    const early = await attempted(40);
    await attempted(45);
    await attempted(35);
    await sql`UPDATE schedules SET last_attempt_at = now() - interval '2 days' WHERE id = ${early}`;
    await attempted(2_000, { host: "old.example.com" });
    expect(of(await read())).toEqual([["a.example.com", 503, 3, 0]]);
  });

  it("of another account or environment are in no group", async () => {
    await attempted(5);
    const [mine] = [accountId];
    accountId = (await createTestAccount(sql, RING)).id;
    expect(await read()).toEqual({ groups: [], total: 0, isCapped: false });
    expect((await readIncidents(watched.sql, { accountId: mine, env: "test" }, lastDay(), 10)).groups).toEqual([]);
  });
});

describe("a dead schedule with a copy", () => {
  it("needs nobody any more: the group says how many were delivered, or are on their way, and by which operation", async () => {
    const [delivered, underWay, again] = [await attempted(300), await attempted(301), await attempted(302)];
    await attempted(5, { of: delivered, status: "succeeded", code: 200 });
    await attempted(6, { of: underWay, status: "failed", host: "c.example.com" });
    await attempted(7, { of: again });
    const operationId = newId(Date.now());
    await sql`UPDATE schedule_requests SET operation_id = ${operationId} WHERE replay_of = ${delivered}`;
    const { groups } = await read();
    expect(
      groups.map(({ host, dead, delivered, underWay, operationId }) => ({
        host,
        dead,
        delivered,
        underWay,
        operationId,
      })),
    ).toEqual([
      { host: "a.example.com", dead: 1, delivered: 0, underWay: 0, operationId: null },
      { host: "c.example.com", dead: 0, delivered: 0, underWay: 0, operationId: null },
      { host: "a.example.com", dead: 0, delivered: 1, underWay: 1, operationId },
    ]);
  });
});

it("of an account with many schedules only dead and retrying ones and their copies are read", async () => {
  for (const minutes of [5, 6, 7]) await attempted(minutes);
  await sql`
    INSERT INTO schedules (id, account_id, env, shard, status, early_fire, fire_at, attempts, ended_at, last_attempt_at,
      payload_size_bytes, sealed_bytes, origin)
    SELECT gen_random_uuid(), ${accountId}, 'live', 1, 'succeeded', false, now() - n * interval '1 s', 1, now(), now(), 0, 0,
      'https://a.example.com' FROM generate_series(1, 5000) n`;
  await sql`
    INSERT INTO schedule_requests (schedule_id, account_id, env, target_url, method, request_hash)
    SELECT id, account_id, env, 'https://a.example.com/in', 'POST', '\\x00' FROM schedules WHERE status = 'succeeded'
    ON CONFLICT DO NOTHING`;
  await sql`ANALYZE schedules, schedule_requests`;
  const { plans } = await watched.explainAll(await watched.of(read));
  const scans = plans.flatMap(nodesOf).filter((node) => node["Relation Name"] !== undefined);
  expect(scans.map((scan) => scan["Index Name"])).not.toContain(undefined);
  for (const scan of scans) expect(scan["Actual Rows"]).toBeLessThanOrEqual(3);
});
