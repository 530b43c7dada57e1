import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readConfig } from "#config.ts";
import { type AttemptRecord, recordAttempts } from "#db/queries/attempts/record.ts";
import { SESSION } from "#dispatcher/databases.ts";
import { createTestAccount } from "../../helpers/accounts.ts";
import { createTestDatabase, type TestDatabase } from "../../helpers/database.ts";
import { ENCRYPTION_KEYS } from "../../helpers/encryption-keys.ts";
import { createTestSchedule } from "../../helpers/schedules.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { waitingForLock } from "../../helpers/waiting-for-lock.ts";

let database: TestDatabase;
let sql: postgres.Sql;
let keyRing: ReturnType<typeof readConfig>["keyRing"];

beforeAll(async () => {
  database = await createTestDatabase();
  sql = postgres(database.url, { max: 8, onnotice: () => {}, connection: SESSION as never });
  keyRing = readConfig({ DATABASE_URL: database.url, ENCRYPTION_KEYS }).keyRing;
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

const outcome = (scheduleId: string, overrides: Partial<AttemptRecord> = {}): AttemptRecord => ({
  scheduleId,
  version: 2,
  attempt: 1,
  outcome: "delivered",
  statusCode: 200,
  latencyMs: 5,
  errorText: "",
  attemptedAtMs: Date.now() + 61_000,
  timing: { lateMs: 1, claimMs: 2, waitMs: 0, connectMs: null, firstByteMs: 4 },
  via: null,
  status: "succeeded",
  nextAttemptAtMs: null,
  failures: 0,
  endReason: null,
  interruptions: 0,
  offsetBucket: 0,
  onTime: true,
  isPublic: true,
  ...overrides,
});
const interrupted = (scheduleId: string) =>
  outcome(scheduleId, {
    outcome: "interrupted",
    statusCode: null,
    latencyMs: 0,
    errorText: "interrupted: outcome unknown",
    status: "failed",
    nextAttemptAtMs: Date.now() + 1_000,
    interruptions: 1,
    isPublic: false,
  });

/** A schedule that is claimed, as its row says. */
async function claimed(owner?: { id: string }, target = "https://example.com/") {
  const account = owner ?? (await createTestAccount(sql, keyRing));
  const id = await createTestSchedule(sql, keyRing, account.id, target, new Date(Date.now() + 60_000));
  await sql`
    UPDATE schedules SET status = 'firing', version = 2, attempts = 1, claimed_at = now(), claim_deadline = now()
    WHERE id = ${id}`;
  return { id, account };
}
const attemptsOf = (id: string) => sql`SELECT attempt, outcome, status_code FROM attempts WHERE schedule_id = ${id}`;
const countsOf = async (accountId: string) => {
  const rows = await sql`
    SELECT kind, bucket, n::int FROM account_counts WHERE account_id = ${accountId} AND n <> 0 ORDER BY kind, bucket`;
  return rows.map((row) => [row.kind, row.bucket, row.n]);
};

describe("an outcome", () => {
  it("is written once, however often and from however many dispatchers at once it is sent", async () => {
    const all = await Promise.all(Array.from({ length: 50 }, () => claimed()));
    const records = all.map(({ id }) => outcome(id));
    const reversed = [...records].reverse();
    const written = await Promise.all(
      [records, reversed, records, reversed].map((batch) => recordAttempts(sql, batch)),
    );
    expect(written.flat()).toHaveLength(50);
    for (const { id, account } of all) {
      expect(await attemptsOf(id)).toHaveLength(1);
      expect(await countsOf(account.id)).toEqual([
        ["offset", 0, 1],
        ["outcome", 2, 1],
      ]);
    }
  });

  it("of a claim that is no longer the current one is not written", async () => {
    const { id } = await claimed();
    expect(await recordAttempts(sql, [outcome(id, { version: 1 })])).toEqual([]);
    await sql`UPDATE schedules SET version = 5 WHERE id = ${id}`;
    expect(await recordAttempts(sql, [outcome(id)])).toEqual([]);
    expect(await attemptsOf(id)).toHaveLength(0);
  });

  it("that was held in memory replaces the interruption that was recorded meanwhile", async () => {
    const { id, account } = await claimed();
    expect(await recordAttempts(sql, [interrupted(id)])).toHaveLength(1);
    expect(await countsOf(account.id)).toEqual([["outcome", -1, 1]]);
    expect(await recordAttempts(sql, [outcome(id)])).toHaveLength(1);
    expect(await attemptsOf(id)).toMatchObject([{ attempt: 1, outcome: "delivered", status_code: 200 }]);
    const [row] = await sql`SELECT status, attempts, interruptions, fired_at FROM schedules WHERE id = ${id}`;
    expect(row).toMatchObject({ status: "succeeded", attempts: 1, interruptions: 0, fired_at: expect.any(Date) });
    expect(await countsOf(account.id)).toEqual([
      ["offset", 0, 1],
      ["outcome", 2, 1],
    ]);
    expect(await recordAttempts(sql, [outcome(id)])).toEqual([]);
  });

  it("that was held in memory is not written once the schedule was claimed again or cancelled", async () => {
    const [again, cancelled] = [await claimed(), await claimed()];
    for (const { id } of [again, cancelled]) await recordAttempts(sql, [interrupted(id)]);
    await sql`
      UPDATE schedules SET status = 'firing', version = version + 1, attempts = 2, claim_deadline = now()
      WHERE id = ${again.id}`;
    await sql`
      UPDATE schedules SET status = 'cancelled', version = version + 1, next_attempt_at = NULL, ended_at = now()
      WHERE id = ${cancelled.id}`;
    for (const { id } of [again, cancelled]) {
      expect(await recordAttempts(sql, [outcome(id)])).toEqual([]);
      expect(await attemptsOf(id)).toMatchObject([{ outcome: "interrupted" }]);
    }
  });

  it("leaves its status code and the first line of its error on the schedule, until the next outcome", async () => {
    const { id } = await claimed();
    const last = async () => {
      const [row] = await sql`SELECT status, last_status_code, last_error FROM schedules WHERE id = ${id}`;
      return [row?.status, row?.last_status_code, row?.last_error];
    };
    const claimAgain = () =>
      sql`UPDATE schedules SET status = 'firing', version = version + 1, attempts = attempts + 1, claim_deadline = now()
        WHERE id = ${id}`;
    const failed = { status: "failed", nextAttemptAtMs: Date.now() + 60_000, failures: 1 } as const;

    const errorText = '\n  settlement "window" closed, \\ {NULL}\r\nsecond line';
    await recordAttempts(sql, [outcome(id, { outcome: "rejected", statusCode: 503, errorText, ...failed })]);
    expect(await last()).toEqual(["failed", 503, 'settlement "window" closed, \\ {NULL}']);
    await claimAgain();
    expect(await last()).toEqual(["firing", 503, 'settlement "window" closed, \\ {NULL}']);
    await recordAttempts(sql, [
      outcome(id, { version: 4, attempt: 2, outcome: "rejected", statusCode: 500, ...failed }),
    ]);
    expect(await last()).toEqual(["failed", 500, null]);
    await claimAgain();
    await recordAttempts(sql, [{ ...interrupted(id), version: 6, attempt: 3 }]);
    expect(await last()).toEqual(["failed", null, "interrupted: outcome unknown"]);
    await recordAttempts(sql, [outcome(id, { version: 6, attempt: 3 })]);
    expect(await last()).toEqual(["succeeded", 200, null]);
  });

  it("is written even when its day has no partition", async () => {
    const { id } = await claimed();
    expect(await recordAttempts(sql, [outcome(id, { attemptedAtMs: Date.UTC(2199, 0, 1) })])).toHaveLength(1);
  });

  it("that waited while its attempt was recorded as interrupted replaces that record", async () => {
    const { id, account } = await claimed();
    const outcomes = await sql.begin(async (tx) => {
      await recordAttempts(tx as never, [interrupted(id)]);
      const recording = recordAttempts(sql, [outcome(id)]);
      await waitFor("the outcome waits for the row", async () => (await waitingForLock(sql, "WITH w AS")) > 0);
      return { recording };
    });
    expect(await outcomes.recording).toHaveLength(1);
    expect(await attemptsOf(id)).toMatchObject([{ attempt: 1, outcome: "delivered" }]);
    expect(await countsOf(account.id)).toEqual([
      ["offset", 0, 1],
      ["outcome", 2, 1],
    ]);
  });

  it("that was held in memory replaces its interruption however far the clock has stepped since", async () => {
    const { id } = await claimed();
    await recordAttempts(sql, [interrupted(id)]);
    const attemptedAtMs = Date.now() + 3 * DAY_MS;
    expect(await recordAttempts(sql, [outcome(id, { attemptedAtMs })])).toHaveLength(1);
    expect(await attemptsOf(id)).toMatchObject([{ attempt: 1, outcome: "delivered" }]);
  });
});

describe("the counts of hosts", () => {
  const HOUR_MS = 3_600_000;
  /** The begin of an hour, after every schedule of these tests is due. */
  const atMs = Math.ceil((Date.now() + 600_000) / HOUR_MS) * HOUR_MS;
  const dead = (id: string, overrides: Partial<AttemptRecord> = {}) =>
    outcome(id, {
      outcome: "rejected",
      statusCode: 503,
      status: "dead",
      failures: 1,
      attemptedAtMs: atMs,
      ...overrides,
    });
  const rowsOf = async (accountId: string) => [
    ...(await sql`
      SELECT host, code, n::int, dead::int, last_error, first_at, last_at, first_due, last_due FROM host_counts
      WHERE account_id = ${accountId} AND n <> 0 ORDER BY host, code`),
  ];

  it("have attempts, deaths, first and last instants and the last error by host and answer", async () => {
    const { id: one, account } = await claimed();
    const [two, three, four] = [
      await claimed(account),
      await claimed(account),
      await claimed(account, "https://b.example:8443/x"),
    ];
    const [{ fire_at: due } = {}] = await sql`SELECT fire_at FROM schedules WHERE id = ${one}`;
    await sql`UPDATE schedules SET fire_at = ${new Date(due.getTime() + 500)} WHERE id = ${two.id}`;
    await recordAttempts(sql, [
      dead(one, { errorText: "first" }),
      dead(two.id, {
        attemptedAtMs: atMs + 2_000,
        errorText: "settlement window closed\nmore",
        status: "failed",
        nextAttemptAtMs: atMs + 60_000,
      }),
      outcome(four.id, { attemptedAtMs: atMs }),
    ]);
    await recordAttempts(sql, [dead(three.id, { attemptedAtMs: atMs + 1_000, errorText: "older" })]);
    expect(await rowsOf(account.id)).toMatchObject([
      { host: "b.example:8443", code: 200, n: 1, dead: 0, last_error: null },
      {
        host: "example.com",
        code: 503,
        n: 3,
        dead: 2,
        last_error: "settlement window closed",
        first_at: new Date(atMs),
        last_at: new Date(atMs + 2_000),
        first_due: due,
        last_due: new Date(due.getTime() + 500),
      },
    ]);
  });

  it("lose an interruption that an outcome replaces, and its death", async () => {
    const { id, account } = await claimed();
    await recordAttempts(sql, [{ ...interrupted(id), status: "dead", nextAttemptAtMs: null, interruptions: 3 }]);
    expect(await rowsOf(account.id)).toMatchObject([{ code: -1, n: 1, dead: 1 }]);
    await recordAttempts(sql, [outcome(id)]);
    expect(await rowsOf(account.id)).toMatchObject([{ code: 200, n: 1, dead: 0 }]);
    const rows = await sql`SELECT n::int, dead::int FROM host_counts WHERE account_id = ${account.id} AND code = -1`;
    expect([...rows]).toEqual([{ n: 0, dead: 0 }]);
  });

  it("name exactly 100 hosts of an hour and lose no attempt, however many dispatchers record at once", async () => {
    const account = await createTestAccount(sql, keyRing);
    const all = await Promise.all(
      Array.from({ length: 240 }, (_, n) => claimed(account, `https://h${n % 120}.example/`)),
    );
    const batches = Array.from({ length: 8 }, (_, at) => all.filter((__, n) => n % 8 === at).map(({ id }) => dead(id)));
    await Promise.all(batches.map((batch, at) => recordAttempts(sql, at % 2 ? batch.toReversed() : batch)));
    const rows = await rowsOf(account.id);
    const named = rows.filter(({ host }) => host !== "other");
    expect(named).toHaveLength(100);
    expect(rows).toHaveLength(101);
    expect(named.every(({ n, dead: died }) => n === 2 && died === 2)).toBe(true);
    expect(rows.find(({ host }) => host === "other")).toMatchObject({ n: 40, dead: 40 });
  });
});

const DAY_MS = 86_400_000;

describe("recording an outcome locks", () => {
  const midnight = Math.ceil((Date.now() + DAY_MS) / DAY_MS) * DAY_MS;
  const partition = (ms: number) => `attempts_${new Date(ms).toISOString().slice(0, 10).replaceAll("-", "")}`;
  /** The partitions that a transaction holds a lock on after recording. */
  const lockedBy = (records: AttemptRecord[]) =>
    sql.begin(async (tx) => {
      expect(await recordAttempts(tx as never, records)).toHaveLength(records.length);
      const rows = await tx`
        SELECT DISTINCT c.relname FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
        JOIN pg_inherits i ON i.inhrelid = c.oid AND i.inhparent = 'attempts'::regclass
        WHERE l.pid = pg_backend_pid() ORDER BY c.relname`;
      return rows.map((row) => row.relname);
    });

  it("only the partitions of the attempts' days", async () => {
    const [one, two] = [await claimed(), await claimed()];
    const records = [
      outcome(one.id, { attemptedAtMs: midnight - 1 }),
      { ...interrupted(two.id), attemptedAtMs: midnight },
    ];
    expect(await lockedBy(records)).toEqual([partition(midnight - 1), partition(midnight)]);
  });

  it("only the partitions of the outcomes' days and of the interruptions that they replace", async () => {
    const [one, two] = [await claimed(), await claimed()];
    await recordAttempts(sql, [
      { ...interrupted(one.id), attemptedAtMs: midnight - 1 },
      { ...interrupted(two.id), attemptedAtMs: midnight - 2 },
    ]);
    const records = [outcome(one.id, { attemptedAtMs: midnight }), outcome(two.id, { attemptedAtMs: midnight + 1 })];
    expect(await lockedBy(records)).toEqual([partition(midnight - 1), partition(midnight)]);
  });
});
