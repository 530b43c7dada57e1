import { hasActiveApiKey } from "#db/queries/accounts/api-keys.ts";
import { hasSchedules } from "#db/queries/schedules/figures.ts";
import type { Ctx } from "../context.ts";

/** Whether the caller's environment has an API key that is not revoked, and any schedule. */
export function readFirstSteps(ctx: Ctx): Promise<{ hasKey: boolean; hasSchedule: boolean }> {
  return ctx.query(async ({ db, sql }) => ({
    hasKey: await hasActiveApiKey(db, ctx.tenant),
    hasSchedule: await hasSchedules(sql, ctx.tenant),
  }));
}
