import { cannotBeStopped } from "#contract/refusals.ts";
import { type OperationRow, stopRunningOperation } from "#db/queries/operations/operations.ts";
import type { Ctx } from "../context.ts";
import { getOperation, operationIdOrThrow } from "./get.ts";

/**
 * Stops an operation; what it has done stays. Idempotent. Throws NOT_FOUND, or CONFLICT when it is done or has failed.
 */
export async function stopOperation(ctx: Ctx, textId: string): Promise<OperationRow> {
  const id = operationIdOrThrow(textId);
  const stopped = await ctx.query(({ db }) => stopRunningOperation(db, ctx.tenant, id));
  if (stopped !== undefined) return stopped;
  const found = await getOperation(ctx, textId);
  if (found.status === "stopped") return found;
  throw cannotBeStopped(found.status);
}
