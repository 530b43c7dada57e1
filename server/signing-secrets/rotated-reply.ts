import { ok } from "../http/reply.ts";
import { presentSigningSecrets } from "./read.ts";
import type { Rotation } from "./rotate-once.ts";

/** 200 with the pair, and whether it is that of an earlier call with the same idempotency key, as a header too. */
export function rotatedReply({ outcome, pair }: Rotation) {
  const replayed = outcome === "replayed";
  return ok({ ...presentSigningSecrets(pair), replayed }, replayed ? { "Idempotent-Replayed": "true" } : {});
}
