import type { LogsInput } from "#contract/inputs/logs-input.ts";
import {
  type AttemptPage,
  countListedAttempts,
  type LoggedAttempt,
  listAttempts,
} from "#db/queries/search/list-attempts.ts";
import { filtersOf, type NamedFilters } from "#domain/filters.ts";
import { encodeId } from "#domain/ids.ts";
import type { Ctx } from "../context.ts";
import { targetQuery } from "../lists/target-query.ts";
import { roundToMicrosecond } from "../schedules/present.ts";

/** One page of the caller's delivery attempts inside the plan's retention window. */
export async function listOwnAttempts(ctx: Ctx, input: LogsInput): Promise<AttemptPage> {
  return ctx.query(({ db }) => listAttempts(db, ctx.tenant, ctx.limits.retentionDays, searchOf(input)));
}

/** How many attempts `listOwnAttempts` finds: its `total` and `totalCapped`. */
export async function countOwnListedAttempts(
  ctx: Ctx,
  input: Omit<LogsInput, "limit" | "offset" | "after">,
): Promise<Pick<AttemptPage, "total" | "totalCapped">> {
  return ctx.query(({ db }) => countListedAttempts(db, ctx.tenant, ctx.limits.retentionDays, searchOf(input)));
}

function searchOf<I extends NamedFilters & Pick<LogsInput, "q" | "schedule_id">>(input: I) {
  const { q, schedule_id, ...rest } = input;
  return { ...rest, ...filtersOf(input), scheduleId: schedule_id, q: targetQuery(q) };
}

/** An attempt as the log shows it. */
export function presentLoggedAttempt(row: LoggedAttempt) {
  return {
    schedule_id: encodeId("sch", row.scheduleId),
    attempt: row.attempt,
    target_url: row.targetUrl,
    method: row.method,
    status_code: row.statusCode,
    latency_ms: row.latencyMs,
    error_text: row.errorText,
    attempted_at: row.attemptedAt.toISOString(),
    via: row.via,
    late_ms: roundToMicrosecond(row.lateMs),
  };
}
