import type { PendingQuery, Row } from "postgres";
import type { DeliveryOptions } from "#domain/delivery-options.ts";
import type { Environment } from "#domain/environment.ts";
import type { PlanName } from "#domain/plans.ts";
import type { RetryStrategy } from "#domain/retry.ts";
import { ATTEMPT_DEADLINE_MS, CLAIM_AHEAD_MAX_MS, LEAVING_MS, RECORDING_MS } from "#domain/timing.ts";
import { byKey } from "../../by-key.ts";
import type { Sql } from "../../client.ts";
import { pgArray } from "../../pg-array.ts";

export type ClaimRequest = { id: string; version: number; shard: number; earlyMs: number };

export type ClaimedSchedule = {
  id: string;
  /** Fences the record of this attempt. */
  version: number;
  accountId: string;
  env: Environment;
  /** Number of this attempt, from 1. */
  attempt: number;
  failures: number;
  interruptions: number;
  earlyFire: boolean;
  heldBack: boolean;
  /** Its creation or a move to now made it due, so it could not have been sent earlier. */
  isDueWhenAsked: boolean;
  fireAtMs: number;
  dueAtMs: number;
  claimedAtMs: number;
  claimDeadlineMs: number;
  targetUrl: string;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Base64, the fastest way for bytes through this driver. */
  sealed: string | null;
  currentSecret: string;
  formerSecret: string | null;
  plan: PlanName;
  retryAttempts: number | null;
  retryBackoffMs: number | null;
  retryStrategy: RetryStrategy | null;
  /** The schedule's own options; null without any. */
  delivery: DeliveryOptions | null;
};

/** What a database must have for a dispatcher to claim in it: its shards with these epochs, and its last heartbeat (null: none). */
export type Ownership = { dispatcherId: string; epochs: ReadonlyMap<number, number>; beat: number | null };

/**
 * The ids of those shards that the dispatcher still owns, held until the end of the statement; none in a database that lacks
 * its last heartbeat.
 */
export const ownedShards = (sql: Sql, { dispatcherId, epochs, beat }: Ownership): PendingQuery<Row[]> => sql`
      SELECT id FROM shards
      WHERE (id, epoch) IN (
          SELECT * FROM unnest(${pgArray([...epochs.keys()])}::text::smallint[], ${pgArray([...epochs.values()])}::text::bigint[]))
        AND owner = ${dispatcherId}
        AND (${beat}::bigint IS NULL
          OR EXISTS (SELECT FROM heartbeats WHERE dispatcher_id = ${dispatcherId} AND beat >= ${beat}::bigint))
      ORDER BY id FOR KEY SHARE`;

/**
 * Claims many schedules in one autocommit statement: the only way into `firing`. A claim loses against any earlier
 * cancel, reschedule or claim (the version) and against a takeover of the shard (the epoch, held by FOR KEY SHARE; whether the
 * lease lasts is checked before the first byte). It claims nothing of an account that is not active, and nothing expired. It finds nothing
 * in a database that lacks the last heartbeat that was acknowledged to the dispatcher (`beat`), as one that was restored
 * since: its shards have the same owner and epochs. The lease lasts as long as an attempt with the schedule's own timeout
 * may (`attemptMaxMs`), and the time for recording. Rows that another transaction has locked are skipped, and come again.
 * `step` (1 and up) is what the version grows by. A dispatcher gives each of its statements a step of its own, so that
 * a version names one statement. The release of a claim whose answer was lost then never hits a later claim of the same
 * row.
 * Tables are read by primary key alone. `status || ''` keeps the planner off partial indexes, and
 * ORDER BY off the index of `schedule_requests` that ends with its key.
 */
export const claimSchedules = async (...claim: ClaimArguments): Promise<ClaimedSchedule[]> =>
  (await runClaim(false, ...claim)).map(presentClaim);

/**
 * Repeats a claim of `claimSchedules` whose answer has not come, with the same rows and the same step, on another connection:
 * claims what that one has not claimed, and returns also what it has claimed and committed. The version tells which rows these
 * are. Both statements look for the same version of a row and give it the same new one. So only one of them claims it, and it
 * counts one attempt. The fences are those of a claim, at the time of the repeat.
 * `moved` are the ids of rows that neither can claim any more, since versions only grow. A row that is in neither list may
 * still be claimed by the other statement, which perhaps has it locked: what becomes of it is known when both have ended.
 */
export async function claimSchedulesAgain(
  ...claim: ClaimArguments
): Promise<{ claimed: ClaimedSchedule[]; moved: string[] }> {
  const rows = await runClaim(true, ...claim);
  const isMoved = ([, version]: readonly unknown[]) => version === null;
  return {
    claimed: rows.filter((row) => !isMoved(row)).map(presentClaim),
    moved: rows.filter(isMoved).map(([id]) => id),
  };
}

type ClaimArguments = [
  sql: Sql,
  dispatcherId: string,
  epochs: ReadonlyMap<number, number>,
  wanted: readonly ClaimRequest[],
  step: number,
  beat?: number | null,
];

function runClaim(isRepeat: boolean, ...claim: ClaimArguments) {
  const [sql, dispatcherId, epochs, wanted, step, beat = null] = claim;
  return sql`
    WITH mine AS MATERIALIZED (${ownedShards(sql, { dispatcherId, epochs, beat })}), pick AS MATERIALIZED (
      SELECT s.id, s.version
      FROM unnest(
        ${pgArray(wanted.map((w) => w.id))}::text::uuid[],
        ${pgArray(wanted.map((w) => w.version))}::text::bigint[],
        ${pgArray(wanted.map((w) => Math.ceil(w.earlyMs)))}::text::integer[]) w(id, version, early_ms)
      JOIN schedules s ON ${byKey(sql, "s.id", "w.id")} AND s.version = w.version
      WHERE s.shard = ANY (ARRAY(SELECT id FROM mine)) AND s.status || '' IN ('scheduled', 'failed')
        AND s.next_attempt_at - CASE WHEN s.early_fire THEN least(w.early_ms, 500) ELSE 0 END * interval '1 millisecond'
          <= clock_timestamp() + ${CLAIM_AHEAD_MAX_MS} * interval '1 millisecond'
        AND (s.delivery IS NULL OR coalesce(expires_at(s.delivery) >= clock_timestamp(), true))
        AND EXISTS (SELECT 1 FROM accounts a WHERE ${byKey(sql, "a.id", "s.account_id")} AND a.status || '' = 'active')
      FOR UPDATE OF s SKIP LOCKED
    ), claimed AS (
      UPDATE schedules s SET status = 'firing', version = s.version + ${step}::integer, attempts = s.attempts + 1,
        claimed_by = ${dispatcherId}, claimed_at = clock_timestamp(),
        claim_deadline = clock_timestamp() + (${RECORDING_MS} + least(${ATTEMPT_DEADLINE_MS},
          (s.delivery->>'timeoutMs')::integer + ${LEAVING_MS})) * interval '1 millisecond'
      FROM pick p WHERE ${byKey(sql, "s.id", "p.id")} AND s.version = p.version AND s.status || '' IN ('scheduled', 'failed')
      RETURNING s.*
    )${isRepeat ? changedBefore(...claim) : sql``}
    SELECT c.id, c.version, c.account_id, c.env, c.attempts, c.failures, c.interruptions, c.early_fire,
      c.next_attempt_at < a.activated_at AS held_back,
      (c.next_attempt_at = c.created_at OR c.next_attempt_at = c.moved_to_now_at) IS TRUE AS due_when_asked,
      extract(epoch FROM c.fire_at)::float8 * 1000 AS fire_at_ms,
      extract(epoch FROM c.next_attempt_at)::float8 * 1000 AS due_at_ms,
      extract(epoch FROM c.claimed_at)::float8 * 1000 AS claimed_at_ms,
      extract(epoch FROM c.claim_deadline)::float8 * 1000 AS claim_deadline_ms,
      r.target_url, r.method, encode(r.sealed, 'base64') AS sealed,
      encode(k.current, 'base64') AS current_secret,
      CASE WHEN k.former_until > clock_timestamp() THEN encode(k.former, 'base64') END AS former_secret,
      a.plan, l.retry_attempts, l.retry_backoff_ms, l.retry_strategy, c.delivery
    FROM ${isRepeat ? sql`(SELECT * FROM claimed UNION ALL SELECT * FROM claimed_before)` : sql`claimed`} c
    CROSS JOIN LATERAL (
      SELECT target_url, method, sealed FROM schedule_requests
      WHERE ${byKey(sql, "schedule_id", "c.id")} ORDER BY schedule_id LIMIT 1) r
    JOIN accounts a ON ${byKey(sql, "a.id", "c.account_id")}
    JOIN signing_secrets k ON ${byKey(sql, "k.account_id", "c.account_id")} AND k.env = c.env
    LEFT JOIN relay_settings l ON ${byKey(sql, "l.account_id", "c.account_id")}${isRepeat ? moved(sql) : sql``}`.values();
}

/** The rows that have changed since they were read. `is_mine` are those that the first statement has claimed. */
const changedBefore = (...[sql, dispatcherId, , wanted, step]: ClaimArguments) => sql`, changed AS MATERIALIZED (
      SELECT s,
        s.version = w.version + ${step}::integer AND s.status || '' = 'firing' AND s.claimed_by = ${dispatcherId} AS is_mine
      FROM unnest(
        ${pgArray(wanted.map((w) => w.id))}::text::uuid[],
        ${pgArray(wanted.map((w) => w.version))}::text::bigint[]) w(id, version)
      JOIN schedules s ON ${byKey(sql, "s.id", "w.id")} AND s.version > w.version
      WHERE s.shard = ANY (ARRAY(SELECT id FROM mine))
    ), claimed_before AS (SELECT (s).* FROM changed WHERE is_mine)`;

/** The ids of the other ones, as rows of the answer that have no version. */
const moved = (sql: Sql) => sql`
    UNION ALL SELECT (s).id, ${sql.unsafe(Array(23).fill("NULL").join())} FROM changed WHERE is_mine IS NOT TRUE`;

function presentClaim(row: Row): ClaimedSchedule {
  return {
    id: row[0],
    version: Number(row[1]),
    accountId: row[2],
    env: row[3],
    attempt: row[4],
    failures: row[5],
    interruptions: row[6],
    earlyFire: row[7],
    heldBack: row[8],
    isDueWhenAsked: row[9],
    fireAtMs: Math.round(row[10]),
    dueAtMs: Math.round(row[11]),
    claimedAtMs: row[12],
    claimDeadlineMs: row[13],
    targetUrl: row[14],
    method: row[15],
    sealed: row[16],
    currentSecret: row[17],
    formerSecret: row[18],
    plan: row[19],
    retryAttempts: row[20],
    retryBackoffMs: row[21],
    retryStrategy: row[22],
    delivery: row[23],
  };
}
