import type { BulkInput, UnreadItem } from "#contract/inputs/bulk-input.ts";
import { CreateInput } from "#contract/inputs/create-input.ts";
import { notInFuture, type ReadTime } from "#contract/inputs/time-input.ts";
import { validate } from "#contract/inputs/validate.ts";
import { expiresTooEarly } from "#contract/refusals.ts";
import type { NewSchedule } from "#db/queries/schedules/create.ts";
import { type BulkCreation, createSchedules } from "#db/queries/schedules/create-bulk.ts";
import { AppError, Unauthorized } from "#domain/errors.ts";
import { BODY_BYTES_MAX } from "#domain/plans.ts";
import type { Ctx } from "../context.ts";
import { ShortTurns } from "../http/short-turns.ts";
import { inTurn } from "./bulk-turns.ts";
import { type CreatedSchedule, clockChangeOf, quotaError, scheduleRequest } from "./create.ts";
import { creationLimits, prepareSchedule } from "./prepare.ts";

export type AcceptedItem = { index: number } & Extract<BulkCreation, { outcome: "created" | "replayed" }> &
  Pick<CreatedSchedule, "clockChange">;
export type RejectedItem = { index: number; error: AppError };
export type BulkOutcome = { accepted: AcceptedItem[]; rejected: RejectedItem[] };

/**
 * Stores the valid items, each validated like `createOne`; of items with the same idempotency key only the first. Both
 * result lists are in the order of the items. Throws UNAVAILABLE while too many batches are being stored.
 */
export async function createMany(ctx: Ctx, { schedules }: BulkInput): Promise<BulkOutcome> {
  const bytes = schedules.reduce((sum, { byteLength }) => sum + byteLength, 0);
  return inTurn(ctx.tenant.accountId, bytes, () => storeItems(ctx, schedules));
}

async function storeItems(ctx: Ctx, schedules: readonly UnreadItem[]): Promise<BulkOutcome> {
  const { prepared, rejected } = await prepareItems(ctx, schedules);
  const rows = prepared.map(({ schedule }) => schedule);
  const creations = await ctx.query(({ sql }, onProgress) =>
    createSchedules(sql, ctx.tenant, creationLimits(ctx), rows, onProgress),
  );
  if (typeof creations === "string") throw new Unauthorized();

  const overQuota = creations.some(({ outcome }) => outcome === "quota") ? await quotaError(ctx) : undefined;
  const accepted: AcceptedItem[] = [];
  for (const [n, { index, rejection, time }] of prepared.entries()) {
    const creation = creations[n] as BulkCreation;
    if (creation.outcome === "created" || creation.outcome === "replayed") {
      accepted.push({ index, ...creation, ...clockChangeOf({ time }) });
    } else {
      const error = {
        past: notInFuture(time?.name ?? "fireAt"),
        expired: expiresTooEarly(),
        rejected: rejection,
        quota: overQuota,
      }[creation.outcome];
      rejected.push({ index, error: error as AppError });
    }
  }
  return { accepted, rejected: rejected.sort((a, b) => a.index - b.index) };
}

type PreparedItem = { index: number; time: ReadTime | undefined; schedule: NewSchedule; rejection: AppError | null };

async function prepareItems(ctx: Ctx, items: readonly UnreadItem[]) {
  const prepared: PreparedItem[] = [];
  const rejected: RejectedItem[] = [];
  const keys = new Set<string>();
  const turns = new ShortTurns();
  for (const [index, item] of items.entries()) {
    if (turns.isOver) await turns.next();
    let key: string | undefined;
    try {
      const value = takeItem(item);
      key = idempotencyKeyOf(value);
      const input = validate(CreateInput, value);
      if (key !== undefined && keys.has(key)) throw duplicateKey();
      const request = scheduleRequest(ctx, input);
      prepared.push({ index, time: request.time, ...prepareSchedule(ctx, request) });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      rejected.push({ index, error });
    }
    if (key !== undefined) keys.add(key);
  }
  return { prepared, rejected };
}

function takeItem(item: UnreadItem): unknown {
  if (item.byteLength <= BODY_BYTES_MAX) return item.take();
  const message = `The item has ${item.byteLength} bytes; an item has at most ${BODY_BYTES_MAX} bytes.`;
  throw new AppError("PAYLOAD_TOO_LARGE", message);
}

// Also of invalid items: a later item with the same key may mean the same schedule.
function idempotencyKeyOf(item: unknown): string | undefined {
  const key = (item as { idempotencyKey?: unknown } | null)?.idempotencyKey;
  return typeof key === "string" ? key : undefined;
}

function duplicateKey(): AppError {
  return new AppError("CONFLICT", "An earlier item has the same idempotencyKey.");
}
