import { tooManyRotationKeys } from "../../../contract/refusals.ts";
import { ROTATION_KEYS_MAX } from "../../../domain/rotation-keys.ts";
import type { RotatedSigningSecrets, SigningSecrets } from "../types.ts";
import { type Account, DAY_MS } from "./account.ts";
import { iso } from "./present.ts";

export function signingSecrets({ secretNumber, rotatedMs }: Account): SigningSecrets {
  return {
    current: secret(secretNumber),
    next: secret(secretNumber + 1),
    rotated_at: rotatedMs === null ? null : iso(rotatedMs),
  };
}

/** Makes the next secret the current one; for each idempotency key once in 24 hours. */
export function rotate(account: Account, key: string | undefined): RotatedSigningSecrets {
  const { nowMs, rotations } = account;
  for (const [known, { atMs }] of rotations) if (atMs <= nowMs - DAY_MS) rotations.delete(known);
  const known = key === undefined ? undefined : rotations.get(key);
  if (known) return { ...known.answer, replayed: true };
  const [oldest] = rotations.values();
  if (key !== undefined && oldest && rotations.size >= ROTATION_KEYS_MAX) {
    throw tooManyRotationKeys(Math.max(1, Math.ceil((oldest.atMs + DAY_MS - nowMs) / 1_000)));
  }
  account.secretNumber++;
  account.rotatedMs = nowMs;
  const answer = signingSecrets(account);
  if (key !== undefined) rotations.set(key, { atMs: nowMs, answer });
  return { ...answer, replayed: false };
}

/** What a delivery is signed with: the current secret, and for 24 hours after a rotation the former one. */
export function secretsInUse({ secretNumber, rotatedMs, nowMs }: Account): string[] {
  const hasFormer = rotatedMs !== null && nowMs < rotatedMs + DAY_MS;
  return [secretNumber, ...(hasFormer ? [secretNumber - 1] : [])].map(secret);
}

/** The n-th secret: 32 bytes that all are n. */
function secret(n: number): string {
  return `whsec_${btoa(String.fromCharCode(n % 256).repeat(32))}`;
}
