import type { Reply } from "../http/reply.ts";
import type { FormCall } from "../routes/form-route.ts";
import { rotateOwnSigningSecrets } from "./rotate.ts";

/** "Rotate" of the confirm page. `seen` is when the pair had last been rotated: a form sent twice rotates once. */
export async function rotateSecretsByForm({ ctx, fields, goTo, finish }: FormCall): Promise<Reply> {
  const seen = fields.get("seen") ?? "";
  if (seen !== "" && Number.isNaN(Date.parse(seen))) return goTo("/signing/rotate");
  await rotateOwnSigningSecrets(ctx, seen === "" ? null : new Date(seen));
  return finish("/signing", { result: "rotated" });
}
