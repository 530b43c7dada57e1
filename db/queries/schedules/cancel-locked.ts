import { byKey } from "../../by-key.ts";
import type { Runner } from "../../literals.ts";

/**
 * Cancels the schedules whose ids the CTE `locked` has, in a statement of its own or as the last part of a CTE. `lastError` says
 * who did it, if it was not their owner.
 */
export const cancelLocked = (sql: Runner, { lastError = null }: { lastError?: string | null } = {}) => sql`
  UPDATE schedules s SET status = 'cancelled', version = s.version + 1, next_attempt_at = NULL,
    ended_at = clock_timestamp(), updated_at = clock_timestamp(), last_error = coalesce(${lastError}, s.last_error)
  FROM locked l WHERE ${byKey(sql, "s.id", "l.id")} RETURNING s.id`;
