import type postgres from "postgres";
import type { OperationFilter } from "#domain/operations.ts";
import type { ScheduleStatus } from "#domain/states.ts";
import type { Sql } from "../../client.ts";
import { pgArray } from "../../pg-array.ts";
import { isShort, SHORT_Q_ROWS } from "../search/query.ts";
import { isOfRequest, isOfState, type ScheduleState } from "../search/search-filter.ts";
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
  const search = searchOf(filter);
  // A short `q` scans the newest schedules only, as it does in lists.
  const left = filter.q !== null && isShort(filter.q) ? Math.max(SHORT_Q_ROWS - scanned, 0) : Number.POSITIVE_INFINITY;
  const limit = Math.min(rowsMax, left);
  const from = place ?? { atMs: operation.acceptedAtMs, id: LAST_ID };
  const rows = await tx`
    WITH scanned AS MATERIALIZED (
      SELECT schedule_id AS id, created_at AS at, ${isOfRequest(tx, operation, search)} AS matches,
        row_number() OVER (ORDER BY created_at DESC, schedule_id DESC)::integer AS n
      FROM schedule_requests
      WHERE account_id = ${accountId} AND env = ${env}
        AND (created_at, schedule_id) < (${new Date(from.atMs).toISOString()}::timestamptz, ${from.id}::uuid)
      ORDER BY created_at DESC, schedule_id DESC LIMIT ${limit}
    )
    SELECT c.id, c.n, extract(epoch FROM c.at)::float8 * 1000 AS at_ms, s.status, s.sealed_bytes, s.is_rescheduled
    FROM scanned c LEFT JOIN LATERAL (
      SELECT status, sealed_bytes, ${isRescheduled(tx, operation, filter)} AS is_rescheduled FROM schedules
      WHERE id = c.id AND c.matches AND ${isOfState(tx, stateThen(tx, operation), search)} LIMIT 1) s ON true
    WHERE s.status IS NOT NULL OR c.n = (SELECT max(n) FROM scanned)
    ORDER BY c.n`;
  const last = rows.at(-1);
  const count: number = last?.n ?? 0;
  const placeOf = (row: postgres.Row): Place => ({ atMs: Math.round(row.at_ms), id: row.id });
  return {
    members: rows
      .filter((row) => row.status !== null)
      .map((row) => ({
        id: row.id,
        status: row.status,
        sealedBytes: row.sealed_bytes,
        isRescheduled: row.is_rescheduled,
        place: placeOf(row),
        scanned: row.n,
      })),
    place: last ? placeOf(last) : place,
    scanned: count,
    isEnd: count < rowsMax,
  };
}

type Fragment = postgres.PendingQuery<postgres.Row[]>;

/** What a schedule was when the operation was accepted. Lateness does not change once it is known. */
function stateThen(tx: Sql, operation: RunningOperation): ScheduleState<Fragment> {
  const code = codeThen(tx, operation);
  return {
    status: statusThen(tx, operation),
    offsetMs: tx`(CASE WHEN fired_at <= ${instantOf(tx, operation)} THEN offset_ms END)`,
    statusCode: code,
    isUnanswered: tx`${code} = 0`,
  };
}

/**
 * The answer that a schedule had then: that of its last attempt, or of an earlier one when it was attempted again since.
 * 0: no answer; null: no attempt.
 */
function codeThen(tx: Sql, operation: RunningOperation): Fragment {
  const then = instantOf(tx, operation);
  return tx`(CASE WHEN last_attempt_at <= ${then}
      THEN coalesce(last_status_code, CASE WHEN last_error IS NOT NULL THEN 0 END)
      ELSE (SELECT coalesce(a.status_code, 0) FROM attempts a WHERE a.schedule_id = schedules.id AND a.attempted_at <= ${then}
        AND a.attempted_at >= schedules.created_at - interval '1 hour' ORDER BY a.attempted_at DESC LIMIT 1)
    END)`;
}

/**
 * The status that a schedule had then, derived from its row: a terminal status has its instant; before that, an earlier attempt
 * means that it waited for a retry. A schedule whose attempt was in progress then, and has ended since, counts as what it was
 * before the attempt.
 */
function statusThen(tx: Sql, operation: RunningOperation): Fragment {
  const then = instantOf(tx, operation);
  return tx`(CASE
    WHEN ended_at <= ${then} THEN status
    WHEN status = 'firing' AND claimed_at <= ${then} THEN 'firing'
    WHEN fired_at <= ${then} OR last_attempt_at <= ${then} THEN 'failed'
    ELSE 'scheduled' END)`;
}

// Claims and releases do not change updated_at: while a schedule is `scheduled`, only its owner does.
function isRescheduled(tx: Sql, operation: RunningOperation, { fromMs, toMs }: OperationFilter): Fragment {
  if (fromMs === null && toMs === null) return tx`false`;
  return tx`(status = 'scheduled' AND updated_at > ${instantOf(tx, operation)})`;
}

const instantOf = (tx: Sql, { acceptedAtMs }: RunningOperation) =>
  tx`${new Date(acceptedAtMs).toISOString()}::timestamptz`;

/** The filter as lists have it. */
function searchOf({ q, statuses, fromMs, toMs, ...filters }: OperationFilter) {
  return {
    ...filters,
    q: q ?? undefined,
    statuses: statuses ?? undefined,
    from: fromMs === null ? undefined : new Date(fromMs),
    to: toMs === null ? undefined : new Date(toMs),
  };
}
