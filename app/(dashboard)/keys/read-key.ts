import { AppError } from "#domain/errors.ts";
import { listOwnApiKeys } from "#server/api-keys/list.ts";
import { presentApiKey } from "#server/api-keys/present.ts";
import type { Ctx } from "#server/context.ts";

/** The key with this id, for a confirm page. Throws NOT_FOUND. */
export async function readKey(ctx: Ctx, id: string | undefined) {
  const key = (await listOwnApiKeys(ctx)).map(presentApiKey).find((one) => one.id === id);
  if (key === undefined) throw new AppError("NOT_FOUND", "There is no such API key.");
  return key;
}
