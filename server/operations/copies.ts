import { countCopies } from "#db/queries/operations/copies.ts";
import type { CopyCounts } from "#domain/copies-of-operation.ts";
import type { Ctx } from "../context.ts";
import { operationIdOrThrow } from "./get.ts";

/** What became of the copies that an operation (`op_…`) made. Throws NOT_FOUND for a malformed id. */
export async function countOwnCopies(ctx: Ctx, textId: string): Promise<CopyCounts> {
  const id = operationIdOrThrow(textId);
  return ctx.query(({ sql }) => countCopies(sql, ctx.tenant, id));
}
