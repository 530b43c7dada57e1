import type { Tenant } from "#db/queries/accounts/tenant.ts";
import type { NewSchedule } from "#db/queries/schedules/create.ts";
import { keptByCopy, type StoredRequest } from "#db/queries/schedules/stored-request.ts";
import { DecryptionError, type KeyRing } from "#domain/cipher.ts";
import { NOW } from "#domain/fire-time.ts";
import { newId } from "#domain/ids.ts";
import type { LeftAloneReason } from "#domain/operations.ts";
import { openRequest, sealRequest, unpackRequest } from "#domain/sealed-request.ts";
import { type TargetPolicy, validateTarget } from "#domain/target-url.ts";

export type CopyRules = { keyRing: KeyRing; targetPolicy: TargetPolicy; payloadBytesMax: number };

/**
 * The copy of a schedule (`of`, its UUID) that fires now, or why none is made: target and size are validated again, since
 * policy and plan may have changed. Its content is sealed anew, for the copy. Its idempotency key is the operation's and the
 * original's, so that there is one copy.
 */
export function prepareCopy(
  rules: CopyRules,
  operation: Tenant & { id: string },
  of: string,
  stored: StoredRequest | undefined,
): NewSchedule | LeftAloneReason {
  if (stored === undefined) return "not_found";
  if (stored.isErased) return "erased";
  const target = validateTarget(stored.targetUrl, rules.targetPolicy, operation.env);
  if (!target.ok) return "target_not_allowed";
  const packed = unseal(rules.keyRing, operation, of, stored);
  if (packed === "unreadable") return packed;
  const payloadSizeBytes = packed === null ? 0 : unpackRequest(packed).payload.length;
  if (payloadSizeBytes > rules.payloadBytesMax) return "payload_too_large";
  const { accountId, env } = operation;
  const to = { id: newId(Date.now()), method: stored.method, targetUrl: target.url };
  return {
    ...keptByCopy(of, stored),
    isUncounted: stored.isDead,
    ...to,
    origin: target.origin,
    fireTime: NOW,
    sealed: packed && sealRequest(rules.keyRing, packed, { accountId, env, ...to }),
    payloadSizeBytes,
    idempotencyKey: `operation/${operation.id}/${of}`,
    requestHash: NO_HASH,
    rejection: null,
  };
}

// Nobody but the operation has the key: there is no request to compare.
const NO_HASH = Buffer.alloc(0);

function unseal(
  keyRing: KeyRing,
  { accountId, env }: Tenant,
  id: string,
  stored: StoredRequest,
): Buffer | null | "unreadable" {
  if (stored.sealed === null) return null;
  try {
    return openRequest(keyRing, stored.sealed, { accountId, env, id, ...stored });
  } catch (error) {
    if (error instanceof DecryptionError) return "unreadable";
    throw error;
  }
}
