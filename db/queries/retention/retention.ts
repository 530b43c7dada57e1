import type postgres from "postgres";
import type { Plans } from "#domain/plans.ts";
import type { Sql } from "../../client.ts";
import { environmentList } from "../literals.ts";
import { pgArray } from "../pg-array.ts";

/** Where a walk over all accounts goes on: the account (UUID) to begin with. */
export type WalkFrom = string;

export type WalkStep = {
  /** Rows that were erased or deleted. */
  rows: number;
  /** Null when every account was visited. */
  next: WalkFrom | null;
};

type Batch = { from: WalkFrom; rowsMax: number };

export const FIRST_ACCOUNT: WalkFrom = "00000000-0000-0000-0000-000000000000";

/**
 * Erases payload and headers of schedules that have been terminal for the retention window of their account's plan: one
 * batch of at most `rowsMax`. The target stays, and so do version and `updated_at`: the schedule itself does not change.
 */
export function erasePayloads(sql: Sql, plans: Plans, { from, rowsMax }: Batch): Promise<WalkStep> {
  return step(
    rowsMax,
    sql`
    WITH ${visited(sql, plans, "retentionDays", from)}, ${expired(sql, sql`s.sealed_bytes > 0`, rowsMax)}, hot AS (
      UPDATE schedules s SET payload_size_bytes = 0, sealed_bytes = 0 FROM locked l WHERE s.id = l.id
    ), cold AS (
      UPDATE schedule_requests r SET sealed = NULL, erased_at = clock_timestamp() FROM locked l
      WHERE r.schedule_id = l.id
    )
    ${progress(sql, sql`locked`)}`,
  );
}

/**
 * Deletes schedules that have been terminal for as long as their account's plan keeps them, with their requests and
 * idempotency keys: one batch of at most `rowsMax`. Those whose payload is not erased yet wait for that.
 */
export function deleteTerminalSchedules(sql: Sql, plans: Plans, { from, rowsMax }: Batch): Promise<WalkStep> {
  return step(
    rowsMax,
    sql`
    WITH ${visited(sql, plans, "terminalDays", from)}, ${expired(sql, sql`NOT (s.sealed_bytes > 0)`, rowsMax)}, hot AS (
      DELETE FROM schedules s USING locked l WHERE s.id = l.id
    ), cold AS (
      DELETE FROM schedule_requests r USING locked l WHERE r.schedule_id = l.id
    )
    ${progress(sql, sql`locked`)}`,
  );
}

/** Deletes hourly counts that are more than `days` days old: one batch of at most `rowsMax`. */
export function deleteOldCounts(sql: Sql, days: number, { from, rowsMax }: Batch): Promise<WalkStep> {
  return step(
    rowsMax,
    sql`
    WITH visited AS MATERIALIZED (
      SELECT id FROM accounts WHERE id >= ${from}::uuid ORDER BY id LIMIT ${ACCOUNTS_PER_STEP}
    ), found AS MATERIALIZED (
      SELECT v.id AS account_id, c.at FROM visited v CROSS JOIN LATERAL (
        SELECT c.ctid AS at FROM account_counts c
        WHERE c.account_id = v.id AND c.env IN (${environmentList(sql)}) AND c.hour < now() - ${days}::integer * interval '1 day'
        LIMIT ${rowsMax}) c
      ORDER BY v.id LIMIT ${rowsMax}
    ), gone AS (
      DELETE FROM account_counts WHERE ctid = ANY (ARRAY (SELECT at FROM found)) RETURNING 1
    )
    ${progress(sql, sql`gone`)}`,
  );
}

/** Accounts that one statement visits: each costs a look into an index, whether it has anything to give or not. */
const ACCOUNTS_PER_STEP = 1_000;

type Fragment = postgres.PendingQuery<postgres.Row[]>;

function visited(sql: Sql, plans: Plans, days: "retentionDays" | "terminalDays", from: WalkFrom): Fragment {
  return sql`
    visited AS MATERIALIZED (
      SELECT a.id, now() - p.days * interval '1 day' AS until
      FROM accounts a JOIN unnest(
        ${pgArray(Object.keys(plans))}::text::text[],
        ${pgArray(Object.values(plans).map((plan) => plan[days]))}::text::integer[]) p(plan, days) ON p.plan = a.plan
      WHERE a.id >= ${from}::uuid ORDER BY a.id LIMIT ${ACCOUNTS_PER_STEP}
    )`;
}

// Rows that somebody has locked are passed over: retention waits for nobody, and finds them in its next round. The
// condition is told a second time because a row may have changed since it was found.
function expired(sql: Sql, kind: Fragment, rowsMax: number): Fragment {
  return sql`
    found AS MATERIALIZED (
      SELECT v.id AS account_id, v.until, e.id FROM visited v CROSS JOIN LATERAL (
        SELECT s.id FROM schedules s
        WHERE s.account_id = v.id AND ${kind} AND s.ended_at < v.until
        ORDER BY s.ended_at LIMIT ${rowsMax}) e
      ORDER BY v.id LIMIT ${rowsMax}
    ), locked AS MATERIALIZED (
      SELECT s.id FROM found f JOIN schedules s ON s.id = f.id JOIN schedule_requests r ON r.schedule_id = s.id
      WHERE ${kind} AND s.ended_at < f.until
      ORDER BY s.id FOR UPDATE OF s, r SKIP LOCKED
    )`;
}

function progress(sql: Sql, done: Fragment): Fragment {
  return sql`
    SELECT (SELECT count(*)::integer FROM found) AS found, (SELECT count(*)::integer FROM ${done}) AS rows,
      (SELECT account_id FROM found ORDER BY account_id DESC LIMIT 1) AS "lastFound",
      (SELECT count(*)::integer FROM visited) AS accounts, (SELECT id FROM visited ORDER BY id DESC LIMIT 1) AS "lastVisited"`;
}

// A full batch goes on with the account it ended in, unless it could do nothing: then that account has to wait.
async function step(rowsMax: number, statement: Fragment): Promise<WalkStep> {
  const [row] = await statement;
  if (!row) throw new Error("a statement of retention told no progress");
  const { found, rows, lastFound, accounts, lastVisited } = row;
  if (found >= rowsMax && rows > 0) return { rows, next: lastFound };
  return { rows, next: accounts >= ACCOUNTS_PER_STEP ? lastVisited : null };
}
