import type { Plans } from "#domain/plans.ts";
import { byKey } from "../../by-key.ts";
import type { Sql } from "../../client.ts";
import { pgArray } from "../../pg-array.ts";
import { ACCOUNTS_PER_SEARCH, type Due, type Search, type Taken, type WalkQueries } from "./due-walk.ts";
import { type Backlog, DUE_COUNTED_MAX, type Fragment } from "./step.ts";

/** Terminal schedules of an account, with a sealed request or without. */
type DueSchedules = Due & { isSealed: boolean };

/** Schedules of a plan, sealed or not, are due when they ended in the `fromDays` to `toDays` before now. */
type Window = { plan: string; isSealed: boolean; fromDays: number; toDays: number };

const ALL_DAYS = 100_000;

/**
 * Erases payload and headers of schedules that have been terminal for the `retentionDays` of their account's plan. The
 * target stays. So do version and `updated_at`, since the schedule itself does not change.
 */
export function payloadErasure(plans: Plans): WalkQueries<DueSchedules> {
  const windows = Object.entries(plans).map(([plan, { retentionDays, terminalDays }]) => {
    // Older ones are deleted with their payload.
    const fromDays = Math.max(retentionDays, terminalDays);
    return { plan, isSealed: true, fromDays, toDays: retentionDays };
  });
  return queries(windows, (sql) => [
    sql`UPDATE schedules s SET payload_size_bytes = 0, sealed_bytes = 0 WHERE s.id = ANY (ARRAY(SELECT id FROM locked))`,
    sql`
      UPDATE schedule_requests r SET sealed = NULL, erased_at = clock_timestamp()
      WHERE r.schedule_id = ANY (ARRAY(SELECT id FROM locked))`,
  ]);
}

/**
 * Deletes schedules that have been terminal for the `terminalDays` of their account's plan, with their requests and
 * idempotency keys. Those with a payload are kept for its `retentionDays` at least.
 */
export function scheduleDeletion(plans: Plans): WalkQueries<DueSchedules> {
  const windows = Object.entries(plans).flatMap(([plan, { retentionDays, terminalDays }]) => [
    { plan, isSealed: false, fromDays: ALL_DAYS, toDays: terminalDays },
    { plan, isSealed: true, fromDays: ALL_DAYS, toDays: Math.max(retentionDays, terminalDays) },
  ]);
  return queries(windows, (sql) => [
    sql`DELETE FROM schedules s WHERE s.id = ANY (ARRAY(SELECT id FROM locked))`,
    sql`DELETE FROM schedule_requests r WHERE r.schedule_id = ANY (ARRAY(SELECT id FROM locked))`,
  ]);
}

type Change = (sql: Sql) => [hot: Fragment, cold: Fragment];

const queries = (windows: Window[], change: Change): WalkQueries<DueSchedules> => ({
  search: (sql, after) => search(sql, windows, after),
  take: (sql, due, rowsMax) => take(sql, windows, due, rowsMax, change(sql)),
  count: (sql, due) => count(sql, windows, due),
});

const windowRows = (sql: Sql, windows: Window[]): Fragment => sql`
  (SELECT plan, is_sealed, now() - from_days * interval '1 day' AS since, now() - to_days * interval '1 day' AS until
    FROM unnest(
      ${pgArray(windows.map(({ plan }) => plan))}::text::text[],
      ${pgArray(windows.map(({ isSealed }) => Number(isSealed)))}::text::integer[]::boolean[],
      ${pgArray(windows.map(({ fromDays }) => fromDays))}::text::integer[],
      ${pgArray(windows.map(({ toDays }) => toDays))}::text::integer[]) w(plan, is_sealed, from_days, to_days))`;

// The condition on `sealed_bytes > 0` is an equality with a column of `w`, so that the index `schedules_ended` gives the
// rows in order. The planner turns NOT (sealed_bytes > 0) into sealed_bytes <= 0, which the index does not have: each batch
// then read and sorted all rows of the account.
const isDue = (sql: Sql, w: string): Fragment => {
  const of = sql.unsafe(w);
  return sql`(s.sealed_bytes > 0) = ${of}.is_sealed AND s.ended_at >= ${of}.since AND s.ended_at < ${of}.until`;
};

async function search(sql: Sql, windows: Window[], after: string): Promise<Search<DueSchedules>> {
  const [{ due = [], visited, last } = {}] = await sql`
    WITH visited AS MATERIALIZED (
      SELECT a.id, a.plan FROM accounts a WHERE a.id > ${after}::uuid ORDER BY a.id LIMIT ${ACCOUNTS_PER_SEARCH}
    )
    SELECT array_to_json(ARRAY(
        SELECT json_build_array(v.id, extract(epoch FROM e.ended_at)::float8 * 1000, w.is_sealed)
        FROM visited v JOIN ${windowRows(sql, windows)} w ON w.plan = v.plan
        CROSS JOIN LATERAL (
          SELECT s.ended_at FROM schedules s WHERE s.account_id = v.id AND ${isDue(sql, "w")}
          ORDER BY s.ended_at LIMIT 1) e)) AS due,
      (SELECT count(*)::integer FROM visited) AS visited, (SELECT id FROM visited ORDER BY id DESC LIMIT 1) AS last`;
  const found = due as [accountId: string, endedAtMs: number, isSealed: boolean][];
  return {
    due: found.map(([accountId, endedAtMs, isSealed]) => ({ accountId, fromMs: Math.round(endedAtMs), isSealed })),
    last: visited < ACCOUNTS_PER_SEARCH ? null : last,
  };
}

type Limits = { perAccount: number; rowsMax: number };

// The rows account by account, each from where it continues, oldest first. No ORDER BY around it: that would read
// `perAccount` rows of each account before the limit.
function dueRows(sql: Sql, windows: Window[], due: readonly DueSchedules[], { perAccount, rowsMax }: Limits): Fragment {
  return sql`
    SELECT d.place, w.is_sealed, w.since, w.until, e.id, e.ended_at FROM unnest(
      ${pgArray(due.map(({ accountId }) => accountId))}::text::uuid[],
      ${pgArray(due.map(({ isSealed }) => Number(isSealed)))}::text::integer[]::boolean[],
      ${pgArray(due.map(({ fromMs }) => fromMs))}::text::bigint[]) WITH ORDINALITY d(account_id, is_sealed, from_ms, place)
    CROSS JOIN LATERAL (
      SELECT w.is_sealed, greatest(w.since, to_timestamp(d.from_ms / 1000.0)) AS since, w.until
      FROM accounts a JOIN ${windowRows(sql, windows)} w ON w.plan = a.plan
      WHERE a.id = d.account_id AND w.is_sealed = d.is_sealed OFFSET 0) w
    CROSS JOIN LATERAL (
      SELECT s.id, s.ended_at FROM schedules s WHERE s.account_id = d.account_id AND ${isDue(sql, "w")}
      ORDER BY s.ended_at LIMIT ${perAccount}) e
    LIMIT ${rowsMax}`;
}

// Locked rows are skipped, so that retention waits for nobody: its next round finds them. The condition is repeated
// because a row may have changed between `found` and `locked`. Each row is looked up by its key: FOR UPDATE and OFFSET keep
// the planner from turning the subqueries into a join. In a join, with statistics that say that the tables are empty, each
// row of the tables was compared with each row of `found`.
async function take(
  sql: Sql,
  windows: Window[],
  due: readonly DueSchedules[],
  rowsMax: number,
  [hot, cold]: ReturnType<Change>,
): Promise<Taken> {
  const [row] = await sql`
    WITH found AS MATERIALIZED (
      ${dueRows(sql, windows, due, { perAccount: rowsMax, rowsMax })}
    ), locked AS MATERIALIZED (
      SELECT hot.id FROM found f
      CROSS JOIN LATERAL (
        SELECT s.id, ${isDue(sql, "f")} AS is_due FROM schedules s WHERE s.id = f.id
        OFFSET 0 FOR UPDATE SKIP LOCKED) hot
      CROSS JOIN LATERAL (
        SELECT FROM schedule_requests WHERE ${byKey(sql, "schedule_id", "hot.id")}
        ORDER BY schedule_id LIMIT 1 FOR UPDATE SKIP LOCKED) cold
      WHERE hot.is_due
    ), hot AS (${hot}), cold AS (${cold}), last AS (
      SELECT place, ended_at FROM found ORDER BY place DESC, ended_at DESC LIMIT 1
    )
    SELECT (SELECT count(*)::integer FROM locked) AS rows, (SELECT count(*)::integer FROM found) AS found,
      (SELECT place::integer - 1 FROM last) AS place,
      (SELECT extract(epoch FROM ended_at)::float8 * 1000 FROM last) AS "lastMs"`;
  return { rows: row?.rows, found: row?.found, place: row?.place, lastMs: Math.round(row?.lastMs) };
}

async function count(sql: Sql, windows: Window[], due: readonly DueSchedules[]): Promise<Backlog> {
  const rowsMax = DUE_COUNTED_MAX;
  const [row] = await sql`
    SELECT (SELECT count(*)::integer FROM (${dueRows(sql, windows, due, { perAccount: rowsMax, rowsMax })}) d) AS rows,
      (SELECT coalesce(max(extract(epoch FROM until - ended_at)), 0)::float8
        FROM (${dueRows(sql, windows, due, { perAccount: 1, rowsMax })}) d) AS "oldestS"`;
  return { rows: row?.rows, oldestS: row?.oldestS };
}
