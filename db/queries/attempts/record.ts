import type { PendingQuery, Row } from "postgres";
import type { ATTEMPT_CARRIERS, AttemptOutcome } from "#domain/attempt-outcome.ts";
import { errorLine } from "#domain/error-line.ts";
import { COUNTED_HOSTS_MAX, OTHER_HOSTS } from "#domain/host-counts.ts";
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
  /** Who carried the request; null for a connection to its target, and where that is not known. */
  via: (typeof ATTEMPT_CARRIERS)[number] | null;
  /** The status that the schedule gets. */
  status: Settlement["status"];
  /** Why it is dead; null where it is not. */
  endReason: Settlement["endReason"];
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
    replaced: null,
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
        RETURNING a.account_id, a.env, a.attempted_at, h.host, h.fire_at, h.was_dead`,
    },
  );
}

const midnight = (sql: Sql, day: number) => sql.unsafe(`'${new Date(day * DAY_MS).toISOString()}'::timestamptz`);

/**
 * Writes the records whose schedule `s` passes the fence. `replaced` deletes and returns the attempt rows that they
 * replace, which are subtracted from the counts; null when they replace none. Of a batch of 30, a fifth of the time
 * goes into starting the nodes of the plan, whether or not rows come by: keep them few.
 */
async function write(
  sql: Sql,
  records: readonly AttemptRecord[],
  { fence, replaced }: { fence: Fragment; replaced: Fragment | null },
): Promise<{ id: string; version: number }[]> {
  const column = (pick: (record: AttemptRecord) => string | number | null) => pgArray(records.map(pick));
  const deleted = replaced ? sql`, replaced AS (${replaced})` : sql``;
  // Makes what reads `held` wait until they are deleted.
  const onceDeleted = replaced ? sql`WHERE (SELECT count(*) FROM replaced) >= 0` : sql``;
  const uncounted = replaced
    ? sql`
        UNION ALL
        SELECT account_id, env, date_trunc('hour', attempted_at, 'UTC'), host, -1, -count(*),
          -count(*) FILTER (WHERE was_dead), min(attempted_at), max(attempted_at), min(fire_at), max(fire_at), NULL,
          NULL
        FROM replaced GROUP BY 1, 2, 3, 4`
    : sql``;
  const rows = await sql`
    WITH w AS (
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
        ${column((r) => r.via)}::text::text[],
        ${column((r) => r.status)}::text::text[],
        ${column((r) => r.endReason)}::text::text[],
        ${column((r) => r.nextAttemptAtMs)}::text::float8[],
        ${column((r) => r.failures)}::text::integer[],
        ${column((r) => r.interruptions)}::text::smallint[],
        ${column((r) => r.offsetBucket)}::text::smallint[],
        ${column((r) => String(r.onTime))}::text::boolean[],
        ${column((r) => String(r.isPublic))}::text::boolean[],
        ${pgTextArray(records.map((r) => errorLine(r.errorText)))}::text::text[]
      ) w(id, version, attempt, outcome, status_code, latency_ms, error_text, attempted_ms, late_ms, claim_ms, wait_ms,
          connect_ms, first_byte_ms, via, status, end_reason, next_ms, failures, interruptions, bucket, on_time, is_public,
          error_line)
    ), held AS MATERIALIZED (
      SELECT w.*, s.account_id, s.env, s.shard, s.fire_at, split_part(s.origin, '/', 3) AS host,
        s.status || '' = 'dead' AS was_dead, s.fired_at IS NULL AND w.outcome <> 'interrupted' AS is_first,
        (extract(epoch FROM w.attempted_at - s.fire_at) * 1000)::bigint AS offset_ms,
        (s.fire_at = s.created_at OR s.fire_at <= s.moved_to_now_at) IS TRUE AS fired_when_asked
      FROM w JOIN schedules s ON ${byKey(sql, "s.id", "w.id")}
      WHERE ${fence}
      ORDER BY w.id FOR UPDATE OF s
    )${deleted}, done AS (
      UPDATE schedules s SET status = h.status, end_reason = h.end_reason, version = s.version + 1, failures = h.failures,
        interruptions = h.interruptions, next_attempt_at = to_timestamp(h.next_ms / 1000),
        claimed_by = NULL, claimed_at = NULL, claim_deadline = NULL,
        fired_at = CASE WHEN h.is_first THEN h.attempted_at ELSE s.fired_at END,
        offset_ms = CASE WHEN h.is_first THEN h.offset_ms ELSE s.offset_ms END,
        last_attempt_at = h.attempted_at, last_status_code = h.status_code, last_error = h.error_line,
        ended_at = CASE WHEN h.status <> 'failed' THEN clock_timestamp() END,
        updated_at = clock_timestamp()
      FROM (SELECT * FROM held ORDER BY account_id, env) h WHERE ${byKey(sql, "s.id", "h.id")}
      RETURNING s.id, s.version
    ), logged AS (
      INSERT INTO attempts (schedule_id, attempt, attempted_at, account_id, env, outcome, status_code, latency_ms,
        error_text, late_ms, claim_ms, wait_ms, connect_ms, first_byte_ms, via)
      SELECT id, attempt, attempted_at, account_id, env, outcome, status_code, latency_ms, error_text, late_ms, claim_ms,
        wait_ms, connect_ms, first_byte_ms, via
      FROM held ${onceDeleted}
    ), tried AS MATERIALIZED (
      SELECT t.*, t.host = ANY (c.hosts) AS is_known,
        c.hosts IS NULL OR (cardinality(c.hosts) < ${COUNTED_HOSTS_MAX} AND t.host <> ALL (c.hosts)) AS is_new
      FROM (
        SELECT account_id, env, date_trunc('hour', attempted_at, 'UTC') AS hour, host,
          CASE WHEN outcome = 'interrupted' THEN -1 ELSE coalesce(status_code, 0) END::smallint AS code, count(*) AS n,
          count(*) FILTER (WHERE status = 'dead') AS dead, min(attempted_at) AS first_at, max(attempted_at) AS last_at,
          min(fire_at) AS first_due, max(fire_at) AS last_due,
          (array_agg(error_line ORDER BY attempted_at DESC) FILTER (WHERE error_line IS NOT NULL))[1] AS last_error,
          max(attempted_at) FILTER (WHERE error_line IS NOT NULL) AS last_error_at
        FROM held GROUP BY 1, 2, 3, 4, 5
        ${uncounted}) t
      LEFT JOIN counted_hosts c ON ${byKey(sql, "c.account_id", "t.account_id")} AND c.env = t.env AND c.hour = t.hour
    ), counted AS (
      INSERT INTO account_counts AS c (account_id, env, hour, kind, bucket, n, min_ms, max_ms)
      SELECT account_id, env, hour, kind, bucket, sum(n), min(ms), max(ms)
      FROM (
        SELECT account_id, env, hour, 'outcome' AS kind, CASE WHEN code < 0 THEN -1 ELSE code / 100 END::smallint AS bucket,
          NULL::bigint AS ms, n FROM tried
        UNION ALL
        SELECT account_id, env, date_trunc('hour', attempted_at, 'UTC'), 'offset', bucket, offset_ms, 1 FROM held
          WHERE is_first AND NOT fired_when_asked
      ) e
      GROUP BY account_id, env, hour, kind, bucket ORDER BY account_id, env, hour, kind, bucket
      ON CONFLICT (account_id, env, hour, kind, bucket) DO UPDATE SET n = c.n + excluded.n,
        min_ms = least(c.min_ms, excluded.min_ms), max_ms = greatest(c.max_ms, excluded.max_ms)
    ), added AS (
      -- The row's latest version is extended, under its lock: no host is added twice, and none beyond the limit.
      INSERT INTO counted_hosts AS c (account_id, env, hour, hosts)
      SELECT account_id, env, hour, (array_agg(DISTINCT host))[1:${COUNTED_HOSTS_MAX}] FROM tried WHERE is_new
      GROUP BY account_id, env, hour ORDER BY account_id, env, hour
      ON CONFLICT (account_id, env, hour) DO UPDATE SET hosts =
        (c.hosts || ARRAY(SELECT host FROM unnest(excluded.hosts) host WHERE host <> ALL (c.hosts)))[1:${COUNTED_HOSTS_MAX}]
      RETURNING account_id, env, hour, hosts
    ), counted_by_host AS (
      INSERT INTO host_counts AS c (account_id, env, hour, host, code, n, dead, first_at, last_at, first_due, last_due,
        last_error, last_error_at)
      -- Not a join: without hash and merge joins it would compare each row with each. IN still hashes, and only when
      -- there is a new host.
      SELECT account_id, env, hour, CASE WHEN is_known OR (is_new AND (account_id, env, hour, host) IN (
          SELECT account_id, env, hour, unnest(hosts) FROM added)) THEN host ELSE ${OTHER_HOSTS} END AS name, code,
        sum(n), sum(dead), min(first_at), max(last_at), min(first_due), max(last_due),
        (array_agg(last_error ORDER BY last_error_at DESC) FILTER (WHERE last_error IS NOT NULL))[1], max(last_error_at)
      FROM tried
      GROUP BY account_id, env, hour, name, code ORDER BY account_id, env, hour, name, code
      ON CONFLICT (account_id, env, hour, host, code) DO UPDATE SET n = c.n + excluded.n, dead = c.dead + excluded.dead,
        first_at = least(c.first_at, excluded.first_at), last_at = greatest(c.last_at, excluded.last_at),
        first_due = least(c.first_due, excluded.first_due), last_due = greatest(c.last_due, excluded.last_due),
        last_error = CASE WHEN excluded.last_error_at >= coalesce(c.last_error_at, excluded.last_error_at)
          THEN excluded.last_error ELSE c.last_error END,
        last_error_at = greatest(c.last_error_at, excluded.last_error_at)
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
