import { setImmediate as nextTurn } from "node:timers/promises";
import type { NewSchedule } from "#db/queries/schedules/create.ts";
import { type BulkCreation, createSchedules } from "#db/queries/schedules/create-bulk.ts";
import { AppError } from "#domain/errors.ts";
import { unauthorized } from "../auth/authenticate.ts";
import { StaleCredential } from "../auth/cached-credentials.ts";
import type { Ctx } from "../context.ts";
import { invalid, validate } from "../input/validate.ts";
import type { BulkInput } from "./bulk-input.ts";
import { inTurn } from "./bulk-turns.ts";
import { notInFuture, quotaExceeded, scheduleRequest } from "./create.ts";
import { CreateInput } from "./create-input.ts";
import { creationLimits, prepareSchedule } from "./prepare.ts";

export type AcceptedItem = { index: number } & Extract<BulkCreation, { outcome: "created" | "replayed" }>;
export type RejectedItem = { index: number; error: AppError };
export type BulkOutcome = { accepted: AcceptedItem[]; rejected: RejectedItem[] };

/**
 * Stores the valid items, each validated like `createOne`; of items with the same idempotency key only the first. Both
 * result lists are in the order of the items. Throws VALIDATION for more items than the plan allows, and UNAVAILABLE while
 * too many batches are being stored.
 */
export async function createMany(ctx: Ctx, { schedules }: BulkInput): Promise<BulkOutcome> {
  const { bulkItemsMax } = ctx.limits;
  if (schedules.length > bulkItemsMax) {
    const message = `must have at most ${bulkItemsMax} items on this plan, not ${schedules.length}`;
    throw invalid([{ path: "schedules", message }]);
  }
  return inTurn(payloadBytes(schedules), () => storeItems(ctx, schedules));
}

async function storeItems(ctx: Ctx, schedules: readonly unknown[]): Promise<BulkOutcome> {
  const { prepared, rejected } = await prepareItems(ctx, schedules);
  const rows = prepared.map(({ schedule }) => schedule);
  const creations = await ctx.query(({ sql }, onProgress) =>
    createSchedules(sql, ctx.tenant, creationLimits(ctx), rows, onProgress),
  );
  if (creations === "inactive") throw unauthorized();
  if (creations === "stale") throw new StaleCredential();

  const quotaError = creations.some(({ outcome }) => outcome === "quota") ? await quotaExceeded(ctx) : undefined;
  const accepted: AcceptedItem[] = [];
  for (const [n, { index, rejection }] of prepared.entries()) {
    const creation = creations[n] as BulkCreation;
    if (creation.outcome === "created" || creation.outcome === "replayed") {
      accepted.push({ index, ...creation });
    } else {
      const error = { past: notInFuture(), rejected: rejection, quota: quotaError }[creation.outcome];
      rejected.push({ index, error: error as AppError });
    }
  }
  return { accepted, rejected: rejected.sort((a, b) => a.index - b.index) };
}

type PreparedItem = { index: number; schedule: NewSchedule; rejection: AppError | null };

// Yields to other requests in between: the largest batch takes a large part of a second of CPU time.
const ITEMS_PER_TURN = 25;

async function prepareItems(ctx: Ctx, items: readonly unknown[]) {
  const prepared: PreparedItem[] = [];
  const rejected: RejectedItem[] = [];
  const keys = new Set<string>();
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % ITEMS_PER_TURN === 0) await nextTurn();
    const key = idempotencyKeyOf(item);
    try {
      const input = validate(CreateInput, item);
      if (key !== undefined && keys.has(key)) throw duplicateKey();
      prepared.push({ index, ...prepareSchedule(ctx, scheduleRequest(ctx, input)) });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      rejected.push({ index, error });
    }
    if (key !== undefined) keys.add(key);
  }
  return { prepared, rejected };
}

function payloadBytes(items: readonly unknown[]): number {
  return items.reduce<number>((sum, item) => {
    const payload = (item as { payload?: unknown } | null)?.payload;
    return sum + (typeof payload === "string" ? Buffer.byteLength(payload) : 0);
  }, 0);
}

// Also of invalid items: a later item with the same key may mean the same schedule.
function idempotencyKeyOf(item: unknown): string | undefined {
  const key = (item as { idempotencyKey?: unknown } | null)?.idempotencyKey;
  return typeof key === "string" ? key : undefined;
}

function duplicateKey(): AppError {
  return new AppError("CONFLICT", "An earlier item has the same idempotencyKey.");
}
