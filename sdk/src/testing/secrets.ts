import type { SigningSecrets } from "../types.ts";
import { type Account, DAY_MS } from "./account.ts";
import { iso } from "./present.ts";

export function signingSecrets({ secretNumber, rotatedMs }: Account): SigningSecrets {
  return {
    current: secret(secretNumber),
    next: secret(secretNumber + 1),
    rotated_at: rotatedMs === null ? null : iso(rotatedMs),
  };
}

export function rotate(account: Account): SigningSecrets {
  account.secretNumber++;
  account.rotatedMs = account.nowMs;
  return signingSecrets(account);
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
