import { findOperation, type OperationRow } from "#db/queries/operations/operations.ts";
import { AppError } from "#domain/errors.ts";
import { decodeId } from "#domain/ids.ts";
import type { Ctx } from "../context.ts";

/** The operation with this id (`op_…`). Throws the same NOT_FOUND for a malformed or unknown id and for another account's. */
export async function getOperation(ctx: Ctx, textId: string): Promise<OperationRow> {
  const id = operationIdOrThrow(textId);
  const row = await ctx.query(({ db }) => findOperation(db, ctx.tenant, id));
  if (row === undefined) throw operationNotFound();
  return row;
}

/** Decodes an operation id (`op_…`) to its UUID. Throws NOT_FOUND for a malformed id. */
export function operationIdOrThrow(textId: string): string {
  const id = decodeId("op", textId);
  if (id === null) throw operationNotFound();
  return id;
}

function operationNotFound(): AppError {
  return new AppError("NOT_FOUND", "There is no operation with this id.");
}
