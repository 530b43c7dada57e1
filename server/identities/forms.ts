import { AppError } from "#domain/errors.ts";
import type { Reply } from "../http/reply.ts";
import type { FormCall } from "../routes/form-route.ts";
import { removeOwnIdentity } from "./remove.ts";

/** "Remove" of the confirm page. Sent twice, it says the same: the identity is removed. */
export async function removeIdentityByForm({ ctx, fields, finish }: FormCall): Promise<Reply> {
  await removeOwnIdentity(ctx, fields.get("id") ?? "").catch((error) => {
    if (!(error instanceof AppError) || error.code !== "NOT_FOUND") throw error;
  });
  return finish("/account", { result: "unlinked" });
}
