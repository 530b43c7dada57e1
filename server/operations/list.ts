import type { OperationListInput } from "#contract/inputs/operation-input.ts";
import { listOperations, type OperationPage } from "#db/queries/operations/operations.ts";
import type { Ctx } from "../context.ts";

/** One page of the caller's operations, the newest first. */
export async function listOwnOperations(ctx: Ctx, input: OperationListInput): Promise<OperationPage> {
  return ctx.query(({ db }) => listOperations(db, ctx.tenant, input));
}
