import { PAUSED_BY_RECONCILE } from "#domain/incarnation.ts";
import type { Runner } from "../../literals.ts";

/**
 * Has recurrences make nothing of what was due before an instant (epoch ms); with Infinity they are paused. Returns how many
 * were changed.
 */
export async function skipInstantsBefore(sql: Runner, dueBeforeMs: number): Promise<number> {
  const changed =
    dueBeforeMs === Number.POSITIVE_INFINITY
      ? await sql`
          UPDATE recurrences SET status = 'paused', pause_note = ${PAUSED_BY_RECONCILE}, paused_until = NULL,
            next_step_at = NULL, made_until = least(made_until, clock_timestamp()), version = version + 1,
            updated_at = clock_timestamp()
          WHERE status = 'active' OR paused_until IS NOT NULL`
      : await sql`
          UPDATE recurrences SET made_until = to_timestamp(${dueBeforeMs}::float8 / 1000)
          WHERE status = 'active' AND made_until < to_timestamp(${dueBeforeMs}::float8 / 1000)`;
  return changed.count;
}
