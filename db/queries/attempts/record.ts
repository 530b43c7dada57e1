import type { PendingQuery, Row } from "postgres";
import type { AttemptOutcome } from "#domain/attempt-outcome.ts";
import type { Settlement } from "#domain/settle-attempt.ts";
import { byKey } from "../../by-key.ts";
import type { Sql } from "../../client.ts";
import { pgArray, pgTextArray } from "../../pg-array.ts";

type Fragment = PendingQuery<Row[]>;

export type AttemptRecord = {
  scheduleId: string;
  /** The version that the claim gave: the fence. */
  version: number;
  attempt: number;
  outcome: AttemptOutcome;
  statusCode: number | null;
  latencyMs: number;
  errorText: string;
  /** Whole milliseconds, rounded down. */
  attemptedAtMs: number;
  timing: {
    lateMs: number | null;
    claimMs: number | null;
    waitMs: number | null;
    connectMs: number | null;
    firstByteMs: number | null;
  };
  /** The status that the schedule gets. */
  status: Settlement["status"];
  nextAttemptAtMs: number | null;
  failures: number;
  interruptions: number;
  /**
   * Histogram bucket of the offset from fire_at. It is counted for the first attempt with a known outcome, unless
   * fire_at is the schedule's creation or a move to now: no request could have been sent earlier.
   */
  offsetBucket: number;
  onTime: boolean;
  /** Whether a counted offset also counts for the public punctuality. */
  isPublic: boolean;
};

/**
 * Records many outcomes at once: schedule, attempt row and counts, for the schedules that are still `firing` with the
 * claimed version. Sending a batch again is harmless.
 * An attempt may have been recorded as interrupted while its outcome was held back. The outcome then replaces that
 * record, unless the schedule was claimed again or changed since. That is a statement of its own, because a DELETE in
 * the first one would make each call lock every partition of `attempts`.
 * Rows, counters and lanes are locked and upserted in the order of their keys, so that batches of several dispatchers
 * never deadlock. Returns the schedules that it wrote, with their new version.
 */
export async function recordAttempts(
  sql: Sql,
  records: readonly AttemptRecord[],
): Promise<{ id: string; version: number }[]> {
  const written = await write(sql, records, {
    fence: sql`s.version = w.version AND s.status || '' = 'firing'`,
    replaced: sql`SELECT account_id, env, attempted_at FROM held WHERE false`,
  });
  const ids = new Set(written.map(({ id }) => id));
  const unwritten = records.filter(({ scheduleId, outcome }) => outcome !== "interrupted" && !ids.has(scheduleId));
  if (unwritten.length === 0) return written;
  return [...written, ...(await replaceInterruptions(sql, unwritten))];
}

const DAY_MS = 86_400_000;

/**
 * Records outcomes in place of interruptions. While a schedule has the version that the interruption gave it, its
 * `last_attempt_at` is the instant of that attempt row, whatever the clocks did since.
 */
async function replaceInterruptions(sql: Sql, records: readonly AttemptRecord[]) {
  const fence = sql`
    s.version = w.version + 1 AND s.status || '' IN ('failed', 'dead') AND s.interruptions > 0 AND s.attempts = w.attempt`;
  const found = await sql`
    SELECT s.id, extract(epoch FROM s.last_attempt_at)::float8 * 1000
    FROM unnest(
      ${pgArray(records.map((r) => r.scheduleId))}::text::uuid[],
      ${pgArray(records.map((r) => r.version))}::text::bigint[],
      ${pgArray(records.map((r) => r.attempt))}::text::integer[]) w(id, version, attempt)
    JOIN schedules s ON ${byKey(sql, "s.id", "w.id")}
    WHERE ${fence}`.values();
  if (found.length === 0) return [];

  const interruptedAtMs = new Map<string, number>(found.map((row) => [row[0], row[1]]));
  const days = [...interruptedAtMs.values()].map((ms) => Math.floor(ms / DAY_MS));
  return write(
    sql,
    records.filter(({ scheduleId }) => interruptedAtMs.has(scheduleId)),
    {
      fence,
      // Literals, because a generic plan with parameters locks every partition. Whole days, because each text of the
      // statement stays prepared in its session.
      replaced: sql`
        DELETE FROM attempts a USING held h
        WHERE a.schedule_id = h.id AND a.attempt = h.attempt AND a.outcome = 'interrupted'
          AND a.attempted_at >= ${midnight(sql, Math.min(...days))} AND a.attempted_at < ${midnight(sql, Math.max(...days) + 1)}
        RETURNING a.account_id, a.env, a.attempted_at`,
    },
  );
}

const midnight = (sql: Sql, day: number) => sql.unsafe(`'${new Date(day * DAY_MS).toISOString()}'::timestamptz`);

/**
 * Writes the records whose schedule `s` passes the fence. `replaced` deletes and returns the attempt rows that they
 * replace, which are subtracted from the counts.
 */
async function write(
  sql: Sql,
  records: readonly AttemptRecord[],
  { fence, replaced }: { fence: Fragment; replaced: Fragment },
): Promise<{ id: string; version: number }[]> {
  const column = (pick: (record: AttemptRecord) => string | number | null) => pgArray(records.map(pick));
  const rows = await sql`
    WITH w AS MATERIALIZED (
      SELECT w.*, to_timestamp(w.attempted_ms / 1000)::timestamptz(3) AS attempted_at
      FROM unnest(
        ${column((r) => r.scheduleId)}::text::uuid[],
        ${column((r) => r.version)}::text::bigint[],
        ${column((r) => r.attempt)}::text::integer[],
        ${column((r) => r.outcome)}::text::text[],
        ${column((r) => r.statusCode)}::text::smallint[],
        ${column((r) => r.latencyMs)}::text::integer[],
        ${pgTextArray(records.map((r) => r.errorText))}::text::text[],
        ${column((r) => r.attemptedAtMs)}::text::float8[],
        ${column((r) => r.timing.lateMs)}::text::real[],
        ${column((r) => r.timing.claimMs)}::text::real[],
        ${column((r) => r.timing.waitMs)}::text::real[],
        ${column((r) => r.timing.connectMs)}::text::real[],
        ${column((r) => r.timing.firstByteMs)}::text::real[],
        ${column((r) => r.status)}::text::text[],
        ${column((r) => r.nextAttemptAtMs)}::text::float8[],
        ${column((r) => r.failures)}::text::integer[],
        ${column((r) => r.interruptions)}::text::smallint[],
        ${column((r) => r.offsetBucket)}::text::smallint[],
        ${column((r) => String(r.onTime))}::text::boolean[],
        ${column((r) => String(r.isPublic))}::text::boolean[]
      ) w(id, version, attempt, outcome, status_code, latency_ms, error_text, attempted_ms, late_ms, claim_ms, wait_ms,
          connect_ms, first_byte_ms, status, next_ms, failures, interruptions, bucket, on_time, is_public)
    ), held AS MATERIALIZED (
      SELECT w.*, s.account_id, s.env, s.shard, s.fired_at IS NULL AND w.outcome <> 'interrupted' AS is_first,
        (extract(epoch FROM w.attempted_at - s.fire_at) * 1000)::bigint AS offset_ms,
        (s.fire_at = s.created_at OR s.fire_at <= s.moved_to_now_at) IS TRUE AS fired_when_asked
      FROM w JOIN schedules s ON ${byKey(sql, "s.id", "w.id")}
      WHERE ${fence}
      ORDER BY w.id FOR UPDATE OF s
    ), replaced AS (
      ${replaced}
    ), done AS (
      UPDATE schedules s SET status = h.status, version = s.version + 1, failures = h.failures,
        interruptions = h.interruptions, next_attempt_at = to_timestamp(h.next_ms / 1000),
        claimed_by = NULL, claimed_at = NULL, claim_deadline = NULL,
        fired_at = CASE WHEN h.is_first THEN h.attempted_at ELSE s.fired_at END,
        offset_ms = CASE WHEN h.is_first THEN h.offset_ms ELSE s.offset_ms END,
        last_attempt_at = h.attempted_at,
        ended_at = CASE WHEN h.status <> 'failed' THEN clock_timestamp() END,
        updated_at = clock_timestamp()
      FROM (SELECT * FROM held ORDER BY account_id, env) h WHERE ${byKey(sql, "s.id", "h.id")}
      RETURNING s.id, s.version
    ), logged AS (
      INSERT INTO attempts (schedule_id, attempt, attempted_at, account_id, env, outcome, status_code, latency_ms,
        error_text, late_ms, claim_ms, wait_ms, connect_ms, first_byte_ms)
      SELECT id, attempt, attempted_at, account_id, env, outcome, status_code, latency_ms, error_text, late_ms, claim_ms,
        wait_ms, connect_ms, first_byte_ms
      FROM held WHERE (SELECT count(*) FROM replaced) >= 0 -- so that they are deleted first
    ), counted AS (
      INSERT INTO account_counts AS c (account_id, env, hour, kind, bucket, n, min_ms, max_ms)
      SELECT account_id, env, hour, kind, bucket, sum(n), min(ms), max(ms)
      FROM (
        SELECT account_id, env, date_trunc('hour', attempted_at, 'UTC') AS hour, 'outcome' AS kind,
          CASE WHEN outcome = 'interrupted' THEN -1 ELSE coalesce(status_code / 100, 0) END::smallint AS bucket,
          NULL::bigint AS ms, 1 AS n FROM held
        UNION ALL
        SELECT account_id, env, date_trunc('hour', attempted_at, 'UTC'), 'outcome', -1, NULL, -1 FROM replaced
        UNION ALL
        SELECT account_id, env, date_trunc('hour', attempted_at, 'UTC'), 'offset', bucket, offset_ms, 1 FROM held
          WHERE is_first AND NOT fired_when_asked
      ) e
      GROUP BY account_id, env, hour, kind, bucket ORDER BY account_id, env, hour, kind, bucket
      ON CONFLICT (account_id, env, hour, kind, bucket) DO UPDATE SET n = c.n + excluded.n,
        min_ms = least(c.min_ms, excluded.min_ms), max_ms = greatest(c.max_ms, excluded.max_ms)
    ), published AS (
      INSERT INTO shard_punctuality AS p (shard, starts_at, bucket, n, on_time)
      SELECT shard, date_bin('15 minutes', attempted_at, 'epoch') AS quarter, bucket, count(*),
        count(*) FILTER (WHERE on_time)
      FROM held WHERE is_first AND NOT fired_when_asked AND is_public AND env = 'live'
      GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
      ON CONFLICT (shard, starts_at, bucket) DO UPDATE SET n = p.n + excluded.n,
        on_time = p.on_time + excluded.on_time
    )
    SELECT id, version FROM done`.values();
  return rows.map((row) => ({ id: row[0], version: Number(row[1]) }));
}
