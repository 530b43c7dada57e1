import type { DbOrTx } from "#db/orm.ts";
import type { ApiKeyRow } from "#db/queries/accounts/api-keys.ts";
import type { Ctx } from "../context.ts";
import { recordOwnEvent } from "../security/record-own-event.ts";

/** Writes to the security log what became of a key; of a rotated one, its replacement. */
export async function recordKeyEvent(
  tx: DbOrTx,
  ctx: Ctx,
  kind: "api_key_created" | "api_key_rotated" | "api_key_revoked",
  { id, name, env }: Pick<ApiKeyRow, "id" | "name" | "env">,
): Promise<void> {
  await recordOwnEvent(tx, ctx, { kind, subjectId: id, details: { keyName: name, env } });
}
