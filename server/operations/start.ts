import type { OperationInput } from "#contract/inputs/operation-input.ts";
import { tooManyRunning, tooManyToday } from "#contract/refusals.ts";
import { type Acceptance, acceptOperation, type NewOperation } from "#db/queries/operations/operations.ts";
import { listSchedules } from "#db/queries/search/list-schedules.ts";
import { Unauthorized } from "#domain/errors.ts";
import { filtersOf } from "#domain/filters.ts";
import type { OperationFilter } from "#domain/operations.ts";
import { operationHash } from "#domain/request-hash.ts";
import type { Ctx } from "../context.ts";
import { targetQuery } from "../lists/target-query.ts";

export type StartedOperation = Extract<Acceptance, { outcome: "accepted" | "replayed" }>;

/**
 * Accepts an operation on the schedules that match the filter now, or on chosen ones; for a known idempotency key it
 * returns the existing operation. Dispatchers carry it out. Throws CONFLICT while ten operations of the environment are
 * running, and RATE_LIMITED when the plan allows no more within 24 hours.
 */
export async function startOperation(ctx: Ctx, input: OperationInput): Promise<StartedOperation> {
  const { operationsPerDay } = ctx.limits;
  const { action, idempotencyKey = null } = input;
  const scope = await scopeOf(ctx, input);
  const { filter, scheduleIds } = scope;
  const requestHash =
    idempotencyKey === null ? NO_HASH : operationHash(ctx.requestHashKey, { action, filter, scheduleIds });
  const wanted = { action, idempotencyKey, requestHash, ...scope };
  const acceptance = await ctx.query(({ db }) => acceptOperation(db, ctx.tenant, operationsPerDay, wanted));
  switch (acceptance.outcome) {
    case "accepted":
    case "replayed":
      return acceptance;
    case "inactive":
      throw new Unauthorized();
    case "too many running":
      throw tooManyRunning();
    case "too many today":
      throw tooManyToday(ctx.limits, acceptance.waitS);
  }
}

const NO_HASH = Buffer.alloc(0);

type Scope = Pick<NewOperation, "total" | "totalCapped"> &
  ({ filter: OperationFilter; scheduleIds: null } | { filter: null; scheduleIds: string[] });

async function scopeOf(ctx: Ctx, { filter: wanted, schedules }: OperationInput): Promise<Scope> {
  if (schedules !== undefined) {
    const scheduleIds = [...new Set(schedules)];
    return { filter: null, scheduleIds, total: scheduleIds.length, totalCapped: false };
  }
  const { status, q, from, to } = wanted ?? {};
  const query = targetQuery(q);
  const narrower = filtersOf(wanted ?? {});
  const found = { statuses: status, q: query, from, to, ...narrower };
  const search = { ...found, sort: "-created_at" as const, limit: 1, offset: 0 };
  const { total, totalCapped } = await ctx.read(({ db }) => listSchedules(db, ctx.tenant, search));
  const filter = {
    statuses: status ? [...new Set(status)] : null,
    q: query ?? null,
    fromMs: from?.getTime() ?? null,
    toMs: to?.getTime() ?? null,
    ...narrower,
  };
  return {
    filter,
    scheduleIds: null,
    total: Math.min(total, TOTAL_MAX),
    totalCapped: totalCapped || total > TOTAL_MAX,
  };
}

// The total of an unfiltered list is exact and could exceed the range of the column.
const TOTAL_MAX = 2_000_000_000;
