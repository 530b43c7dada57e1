import type postgres from "postgres";
import { parseCode } from "#domain/answer-code.ts";
import type { LateRange } from "#domain/late-range.ts";
import type { OperationFilter } from "#domain/operations.ts";
import type { ScheduleStatus } from "#domain/states.ts";
import type { Sql } from "../../client.ts";
import { pgArray } from "../../pg-array.ts";
import { isShort, SHORT_Q_ROWS, substringPattern } from "../search/passes.ts";
import type { Place, RunningOperation } from "./steps.ts";

/** A schedule of an operation's set. */
export type Member = {
  /** UUID. */
  id: string;
  /** Null when there is no such schedule (any more). */
  status: ScheduleStatus | null;
  sealedBytes: number;
  /** It was rescheduled after the operation was accepted, so it is not known whether it was in the range then. */
  isRescheduled: boolean;
  /** The operation's progress after this member. */
  place: Place | null;
  scanned: number;
};

/** The members among the scanned schedules. Once all of them were processed, the operation is at `place`. */
export type Scan = { members: Member[]; place: Place | null; scanned: number; isEnd: boolean };

/**
 * The next members of an operation's set: of the chosen schedules, or of those that existed when it was accepted,
 * newest first, those that matched its filter then. Scans at most `rowsMax` schedules.
 */
export function findMembers(tx: Sql, operation: RunningOperation, rowsMax: number): Promise<Scan> {
  const { filter, scheduleIds } = operation;
  if (filter !== null) return findMatching(tx, operation, filter, rowsMax);
  return findChosen(tx, operation, scheduleIds ?? [], rowsMax);
}

async function findChosen(tx: Sql, operation: RunningOperation, all: string[], rowsMax: number): Promise<Scan> {
  const ids = all.slice(operation.scanned, operation.scanned + rowsMax);
  const rows = await tx`
    SELECT i.id, s.status, s.sealed_bytes
    FROM unnest(${pgArray(ids)}::text::uuid[]) WITH ORDINALITY AS i(id, n)
    LEFT JOIN LATERAL (
      SELECT status, sealed_bytes FROM schedules
      WHERE id = i.id AND account_id = ${operation.accountId} AND env = ${operation.env} LIMIT 1) s ON true
    ORDER BY i.n`;
  const members = rows.map((row, at) => ({
    id: row.id as string,
    status: row.status as ScheduleStatus | null,
    sealedBytes: (row.sealed_bytes as number | null) ?? 0,
    isRescheduled: false,
    place: null,
    scanned: at + 1,
  }));
  return { members, place: null, scanned: ids.length, isEnd: operation.scanned + ids.length >= all.length };
}

const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";

// Newest first, so that pending schedules are cancelled before old, ended ones are skipped. The last scanned row is
// always returned, member or not, because the next step continues behind it.
async function findMatching(
  tx: Sql,
  operation: RunningOperation,
  filter: OperationFilter,
  rowsMax: number,
): Promise<Scan> {
  const { accountId, env, place, scanned } = operation;
  // A short `q` scans the newest schedules only, as it does in lists.
  const left = filter.q !== null && isShort(filter.q) ? Math.max(SHORT_Q_ROWS - scanned, 0) : Number.POSITIVE_INFINITY;
  const limit = Math.min(rowsMax, left);
  const from = place ?? { atMs: operation.acceptedAtMs, id: LAST_ID };
  const rows = await tx`
    WITH scanned AS MATERIALIZED (
      SELECT schedule_id AS id, created_at AS at, ${matchesRequest(tx, filter)} AS matches,
        row_number() OVER (ORDER BY created_at DESC, schedule_id DESC)::integer AS n
      FROM schedule_requests
      WHERE account_id = ${accountId} AND env = ${env}
        AND (created_at, schedule_id) < (${new Date(from.atMs).toISOString()}::timestamptz, ${from.id}::uuid)
      ORDER BY created_at DESC, schedule_id DESC LIMIT ${limit}
    )
    SELECT c.id, c.n, extract(epoch FROM c.at)::float8 * 1000 AS at_ms, s.status, s.sealed_bytes, s.is_rescheduled
    FROM scanned c LEFT JOIN LATERAL (
      SELECT status, sealed_bytes, ${isRescheduled(tx, operation, filter)} AS is_rescheduled FROM schedules
      WHERE id = c.id AND c.matches AND ${matchesState(tx, operation, filter)} LIMIT 1) s ON true
    WHERE s.status IS NOT NULL OR c.n = (SELECT max(n) FROM scanned)
    ORDER BY c.n`;
  const last = rows.at(-1);
  const count: number = last?.n ?? 0;
  const placeOf = (row: postgres.Row): Place => ({ atMs: Math.round(row.at_ms), id: row.id });
  return {
    members: rows
      .filter((row) => row.status !== null)
      .map((row) => ({
        ...{ id: row.id, status: row.status, sealedBytes: row.sealed_bytes, isRescheduled: row.is_rescheduled },
        ...{ place: placeOf(row), scanned: row.n },
      })),
    place: last ? placeOf(last) : place,
    scanned: count,
    isEnd: count < rowsMax,
  };
}

type Fragment = postgres.PendingQuery<postgres.Row[]>;

function matchesRequest(tx: Sql, { q, host, idempotencyKey, operationId }: OperationFilter): Fragment {
  return tx`(
    ${q === null ? tx`true` : tx`(target_url ILIKE ${substringPattern(q)} OR schedule_id = ${q.scheduleId}::uuid)`}
    AND ${host === undefined ? tx`true` : tx`split_part(target_url, '/', 3) = ${host}`}
    AND ${idempotencyKey === undefined ? tx`true` : tx`idempotency_key IS NOT DISTINCT FROM ${idempotencyKey}`}
    AND ${operationId === undefined ? tx`true` : tx`operation_id IS NOT DISTINCT FROM ${operationId}::uuid`})`;
}

function matchesState(tx: Sql, operation: RunningOperation, filter: OperationFilter): Fragment {
  const { statuses, fromMs, toMs, late, code } = filter;
  const instant = (ms: number) => tx`${new Date(ms).toISOString()}::timestamptz`;
  return tx`
    ${statuses === null ? tx`true` : tx`${statusThen(tx, operation)} = ANY (${pgArray(statuses)}::text::text[])`}
    AND ${fromMs === null ? tx`true` : tx`fire_at >= ${instant(fromMs)}`}
    AND ${toMs === null ? tx`true` : tx`fire_at < ${instant(toMs)}`}
    AND ${late === undefined ? tx`true` : wasLate(tx, operation, late)}
    AND ${code === undefined ? tx`true` : hadCode(tx, operation, code)}`;
}

/** Lateness never changes once it is there, which is from the first attempt with a known outcome on. */
function wasLate(tx: Sql, { acceptedAtMs }: RunningOperation, { fromMs, toMs }: LateRange): Fragment {
  return tx`(fired_at <= ${new Date(acceptedAtMs).toISOString()}::timestamptz
    AND ${fromMs === null ? tx`true` : tx`offset_ms >= ${fromMs}::bigint`}
    AND ${toMs === null ? tx`true` : tx`offset_ms <= ${toMs}::bigint`})`;
}

/**
 * The answer that a schedule had when the operation was accepted: that of its last attempt, or of an earlier one when it was
 * attempted again since. 0: no answer; null: no attempt.
 */
function hadCode(tx: Sql, { acceptedAtMs }: RunningOperation, code: string): Fragment {
  const then = tx`${new Date(acceptedAtMs).toISOString()}::timestamptz`;
  const range = parseCode(code) ?? { from: 0, to: 0 };
  return tx`(CASE WHEN last_attempt_at <= ${then}
      THEN coalesce(last_status_code, CASE WHEN last_error IS NOT NULL THEN 0 END)
      ELSE (SELECT coalesce(a.status_code, 0) FROM attempts a WHERE a.schedule_id = schedules.id AND a.attempted_at <= ${then}
        AND a.attempted_at >= schedules.created_at - interval '1 hour' ORDER BY a.attempted_at DESC LIMIT 1)
    END BETWEEN ${range.from}::integer AND ${range.to}::integer) IS TRUE`;
}

/**
 * The status that a schedule had when the operation was accepted, derived from its row: a terminal status has its
 * instant; before that, an earlier attempt means that it waited for a retry. A schedule whose attempt was in progress
 * then, and has ended since, counts as what it was before the attempt.
 */
function statusThen(tx: Sql, { acceptedAtMs }: RunningOperation): Fragment {
  const then = tx`${new Date(acceptedAtMs).toISOString()}::timestamptz`;
  return tx`CASE
    WHEN ended_at <= ${then} THEN status
    WHEN status = 'firing' AND claimed_at <= ${then} THEN 'firing'
    WHEN fired_at <= ${then} OR last_attempt_at <= ${then} THEN 'failed'
    ELSE 'scheduled' END`;
}

// Claims and releases do not change updated_at: while a schedule is `scheduled`, only its owner does.
function isRescheduled(tx: Sql, { acceptedAtMs }: RunningOperation, { fromMs, toMs }: OperationFilter): Fragment {
  if (fromMs === null && toMs === null) return tx`false`;
  return tx`(status = 'scheduled' AND updated_at > ${new Date(acceptedAtMs).toISOString()}::timestamptz)`;
}
