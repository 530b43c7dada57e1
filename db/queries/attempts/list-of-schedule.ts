import { and, asc, eq, gt, sql } from "drizzle-orm";
import type { DbOrTx } from "../../orm.ts";
import { attempts } from "../../schema/index.ts";
import type { Tenant } from "../accounts/tenant.ts";

export type AttemptRow = Pick<
  typeof attempts.$inferSelect,
  | "attempt"
  | "statusCode"
  | "latencyMs"
  | "errorText"
  | "attemptedAt"
  | "lateMs"
  | "claimMs"
  | "waitMs"
  | "connectMs"
  | "firstByteMs"
  | "via"
>;

/** The attempts of one schedule (UUID) that are younger than `retentionDays`, oldest first. */
export async function listAttemptsOfSchedule(
  db: DbOrTx,
  tenant: Tenant,
  scheduleId: string,
  retentionDays: number,
): Promise<AttemptRow[]> {
  return (
    db
      .select({
        attempt: attempts.attempt,
        statusCode: attempts.statusCode,
        latencyMs: attempts.latencyMs,
        errorText: attempts.errorText,
        attemptedAt: attempts.attemptedAt,
        lateMs: attempts.lateMs,
        claimMs: attempts.claimMs,
        waitMs: attempts.waitMs,
        connectMs: attempts.connectMs,
        firstByteMs: attempts.firstByteMs,
        via: attempts.via,
      })
      .from(attempts)
      .where(
        and(
          eq(attempts.scheduleId, scheduleId),
          eq(attempts.accountId, tenant.accountId),
          eq(attempts.env, tenant.env),
          // now() and not clock_timestamp(): the planner leaves out partitions only for a stable function.
          gt(attempts.attemptedAt, sql`now() - ${retentionDays} * interval '1 day'`),
        ),
      )
      .orderBy(asc(attempts.attempt), asc(attempts.attemptedAt))
      // Far above what retry settings can reach.
      .limit(5_000)
  );
}
