import type { Plans } from "#domain/plans.ts";
import { byKey } from "../../by-key.ts";
import type { Sql } from "../../client.ts";
import { pgArray } from "../../pg-array.ts";
import {
  ACCOUNTS_PER_STEP,
  type Batch,
  type Fragment,
  progress,
  runStep,
  type WalkFrom,
  type WalkStep,
} from "./account-walk.ts";

/**
 * Erases payload and headers of schedules that have been terminal for the `retentionDays` of their account's plan: one
 * batch of at most `rowsMax`. The target stays. So do version and `updated_at`, since the schedule itself does not change.
 */
export function erasePayloads(sql: Sql, plans: Plans, { from, rowsMax }: Batch): Promise<WalkStep> {
  return runStep(
    rowsMax,
    sql`
    WITH ${visited(sql, plans, "retentionDays", from)}, ${expired(sql, sql`s.sealed_bytes > 0`, rowsMax)}, hot AS (
      UPDATE schedules s SET payload_size_bytes = 0, sealed_bytes = 0 WHERE s.id = ANY (ARRAY(SELECT id FROM locked))
    ), cold AS (
      UPDATE schedule_requests r SET sealed = NULL, erased_at = clock_timestamp()
      WHERE r.schedule_id = ANY (ARRAY(SELECT id FROM locked))
    )
    ${progress(sql, sql`locked`)}`,
  );
}

/**
 * Deletes schedules that have been terminal for the `terminalDays` of their account's plan, with their requests and
 * idempotency keys: one batch of at most `rowsMax`. Schedules whose payload is not erased yet wait for that.
 */
export function deleteTerminalSchedules(sql: Sql, plans: Plans, { from, rowsMax }: Batch): Promise<WalkStep> {
  return runStep(
    rowsMax,
    sql`
    WITH ${visited(sql, plans, "terminalDays", from)}, ${expired(sql, sql`NOT (s.sealed_bytes > 0)`, rowsMax)}, hot AS (
      DELETE FROM schedules s WHERE s.id = ANY (ARRAY(SELECT id FROM locked))
    ), cold AS (
      DELETE FROM schedule_requests r WHERE r.schedule_id = ANY (ARRAY(SELECT id FROM locked))
    )
    ${progress(sql, sql`locked`)}`,
  );
}

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

// Locked rows are skipped, so that retention waits for nobody: its next round finds them. The condition is repeated
// because a row may have changed between `found` and `locked`. Each row is looked up by its key: FOR UPDATE and OFFSET keep
// the planner from turning the subqueries into a join. In a join, with statistics that say that the tables are empty, each
// row of the tables was compared with each row of `found`.
function expired(sql: Sql, kind: Fragment, rowsMax: number): Fragment {
  return sql`
    found AS MATERIALIZED (
      SELECT v.id AS account_id, v.until, e.id FROM visited v CROSS JOIN LATERAL (
        SELECT s.id FROM schedules s
        WHERE s.account_id = v.id AND ${kind} AND s.ended_at < v.until
        ORDER BY s.ended_at LIMIT ${rowsMax}) e
      ORDER BY v.id LIMIT ${rowsMax}
    ), locked AS MATERIALIZED (
      SELECT hot.id FROM found f
      CROSS JOIN LATERAL (
        SELECT s.id, ${kind} AND s.ended_at < f.until AS is_expired FROM schedules s WHERE s.id = f.id
        OFFSET 0 FOR UPDATE SKIP LOCKED) hot
      CROSS JOIN LATERAL (
        SELECT FROM schedule_requests WHERE ${byKey(sql, "schedule_id", "hot.id")}
        ORDER BY schedule_id LIMIT 1 FOR UPDATE SKIP LOCKED) cold
      WHERE hot.is_expired
    )`;
}
