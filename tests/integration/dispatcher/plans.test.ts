import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AttemptRecord, recordAttempts } from "#db/queries/attempts/record.ts";
import { cancelMembers } from "#db/queries/operations/cancel-members.ts";
import { claimSchedules, claimSchedulesAgain } from "#db/queries/schedules/claim.ts";
import { after, BEFORE_ALL, readDueById } from "#db/queries/schedules/due.ts";
import { findComingLanes, readDueOfLanes } from "#db/queries/schedules/due-lanes.ts";
import { readExpiredClaims } from "#db/queries/schedules/expired-claims.ts";
import { releaseSchedules } from "#db/queries/schedules/release.ts";
import { SESSION } from "#dispatcher/databases.ts";
import { newId } from "#domain/ids.ts";
import { createTestDatabase, type TestDatabase } from "../../helpers/database.ts";

let database: TestDatabase;
/** With the settings of a dispatcher's session. */
let sql: postgres.Sql;
/** Without settings, for what takes longer than a dispatcher waits. */
let owner: postgres.Sql;
let captured: { text: string; parameters: unknown[] }[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  owner = postgres(database.url, { max: 1, onnotice: () => {} });
  sql = postgres(database.url, {
    max: 1,
    onnotice: () => {},
    fetch_types: false,
    connection: SESSION as never,
    debug: (_connection, text, parameters) => {
      captured.push({ text, parameters: [...parameters] });
    },
  });
});
afterAll(async () => {
  await Promise.all([sql.end(), owner.end()]);
  await database.drop();
});

const ids = Array.from({ length: 500 }, () => newId(Date.now()));
const record = (scheduleId: string): AttemptRecord => ({
  scheduleId,
  version: 2,
  attempt: 1,
  outcome: "delivered",
  statusCode: 200,
  latencyMs: 1,
  errorText: "",
  attemptedAtMs: Date.now(),
  timing: { lateMs: 0, claimMs: 0, waitMs: 0, connectMs: null, firstByteMs: 1 },
  via: null,
  status: "succeeded",
  nextAttemptAtMs: null,
  failures: 0,
  endReason: null,
  interruptions: 0,
  offsetBucket: 0,
  onTime: true,
  isPublic: true,
});

/** A schedule whose attempt was recorded as interrupted. */
async function interrupted(): Promise<string> {
  const [row] = await owner`
    INSERT INTO schedules (id, account_id, env, shard, early_fire, fire_at, next_attempt_at, payload_size_bytes,
      sealed_bytes, origin, status, version, attempts, interruptions, last_attempt_at)
    VALUES (gen_random_uuid(), gen_random_uuid(), 'live', 1, false, now() - interval '1 second', now() + interval '1 hour', 0, 0,
      'https://example.com', 'failed', 3, 1, 1, now())
    RETURNING id`;
  return row?.id;
}

const claim = (): Parameters<typeof claimSchedules> => {
  const wanted = ids.map((id) => ({ id, version: 1, shard: 1, earlyMs: 0 }));
  return [sql, newId(0), new Map([[1, 1]]), wanted, 1, 1];
};

/** The frequent statements, and the only index by which each may reach `schedules`. */
const statements: [string, string, () => Promise<unknown>][] = [
  ["claim", "schedules_pkey", () => claimSchedules(...claim())],
  ["claim that is repeated", "schedules_pkey", () => claimSchedulesAgain(...claim())],
  [
    "release",
    "schedules_pkey",
    () =>
      releaseSchedules(
        sql,
        newId(0),
        ids.map((id) => ({ id, version: 1 })),
      ),
  ],
  ["record", "schedules_pkey", () => recordAttempts(sql, ids.map(record))],
  [
    "record in place of an interruption",
    "schedules_pkey",
    async () => expect(await recordAttempts(sql, [record(await interrupted())])).toHaveLength(1),
  ],
  ["what a NOTIFY named", "schedules_pkey", () => readDueById(sql, ids, Date.now())],
  [
    "lanes with something that comes within the horizon",
    "schedules_due",
    () =>
      findComingLanes(
        sql,
        Array.from({ length: 64 }, (_, id) => ({ id, from: after(Date.now()) })),
        Date.now() + 4_000,
        2_000,
      ),
  ],
  [
    "what falls due of many lanes",
    "schedules_due_of_account",
    () =>
      readDueOfLanes(
        sql,
        ids.map((accountId) => ({ accountId, env: "live", from: BEFORE_ALL, untilMs: Date.now(), limit: 64 })),
      ),
  ],
  [
    "cancelling the schedules of an operation",
    "schedules_pkey",
    () => cancelMembers(sql, { accountId: newId(0), env: "live" }, ids),
  ],
  [
    "expired claims",
    "schedules_firing",
    () =>
      readExpiredClaims(
        sql,
        [1, 2, 3].map((id) => ({ id, fromMs: Number.NEGATIVE_INFINITY })),
        500,
      ),
  ],
];

/** Statistics of pages without rows. With them, the planner expects one row in a table, however large it becomes. */
const expectNoRows = () => owner`
  UPDATE pg_class SET reltuples = 0, relpages = 100
  WHERE relkind IN ('r', 'i') AND relnamespace = 'public'::regnamespace`;

/** Fails when a plan reads an index from its beginning to its end, but for that of the 64 shards. */
function expectLookUps(plan: readonly string[]) {
  for (const [n, line] of plan.entries()) {
    if (/ on schedule_requests\b/.test(line)) expect(line, plan.join("\n")).toContain("schedule_requests_pkey");
    if (/ Scan using (?!.* on shards\b)/.test(line)) expect(plan[n + 1], plan.join("\n")).toContain("Index Cond");
  }
}

const insertRows = (count: number, dueIn: string) => owner`
  INSERT INTO schedules (id, account_id, env, shard, early_fire, fire_at, next_attempt_at, payload_size_bytes, sealed_bytes, origin)
  SELECT gen_random_uuid(), gen_random_uuid(), 'live', n % 64, false, now() + ${dueIn}::interval, now() + ${dueIn}::interval, 0, 0, 'https://example.com'
  FROM generate_series(1, ${count}) n`;

describe.each<[string, () => Promise<unknown>]>([
  ["an empty table that was never analysed", async () => undefined],
  [
    "statistics from a moment when the table was empty, and rows since",
    async () => {
      await owner`ANALYZE schedules`;
      await insertRows(20_000, "1 hour");
    },
  ],
  [
    "a backlog of many rows, analysed",
    async () => {
      await insertRows(200_000, "30 days");
      await owner`ANALYZE`;
    },
  ],
  ["statistics of an ANALYZE beside the transaction that inserted the first rows", expectNoRows],
])("with %s", (_name, prepare) => {
  beforeAll(prepare, 120_000);

  it.each(statements)("%s reaches schedules by %s alone", async (_statement, index, run) => {
    captured = [];
    await run();
    expect(captured.length).toBeGreaterThan(0);
    for (const { text, parameters } of captured.splice(0)) {
      for (const explained of [
        await sql.unsafe(`EXPLAIN ${text}`, parameters as never[]),
        await explainForAnyValues(text, parameters.length),
      ]) {
        const plan = explained.map((row) => row["QUERY PLAN"] as string);
        const scans = plan.filter((line) => / on schedules\b/.test(line) && /Scan/.test(line));
        expect(scans.length).toBeGreaterThan(0);
        for (const scan of scans)
          expect(scan, plan.join("\n")).toMatch(new RegExp(`Index (Only )?Scan using ${index} on schedules`));
        expectLookUps(plan);
      }
    }
  });
});

/** The plan that is made without knowing the values. EXPLAIN (GENERIC_PLAN) does the same, but only since PostgreSQL 16. */
async function explainForAnyValues(text: string, parameters: number) {
  const nulls = Array.from({ length: parameters }, () => "NULL").join(", ");
  return sql.begin(async (tx) => {
    await tx`SET LOCAL plan_cache_mode = force_generic_plan`;
    await tx.unsafe(`PREPARE explained AS ${text}`).simple();
    const plan = await tx.unsafe(`EXPLAIN EXECUTE explained${nulls && `(${nulls})`}`).simple();
    await tx`DEALLOCATE explained`;
    return plan;
  });
}
