import type { ApiKeyRow } from "#db/queries/accounts/api-keys.ts";
import { apiKeyPrefix } from "#domain/api-key.ts";
import { encodeId } from "#domain/ids.ts";

/** A key as callers see it, without its raw value. */
export function presentApiKey(row: ApiKeyRow) {
  return {
    id: encodeId("key", row.id),
    name: row.name,
    env: row.env,
    prefix: apiKeyPrefix(row.env),
    last4: row.last4,
    created_at: row.createdAt.toISOString(),
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
    revoked_at: row.revokedAt?.toISOString() ?? null,
    expires_at: row.expiresAt?.toISOString() ?? null,
  };
}

/** A new key with its raw value, which is shown only this once. */
export function presentNewApiKey(apiKey: ApiKeyRow & { key: string }) {
  return { ...presentApiKey(apiKey), key: apiKey.key };
}
