import { hash } from "node:crypto";
import type { Caller } from "../context.ts";
import type { Services } from "../services.ts";
import { bearerToken } from "./bearer-token.ts";
import { recordKeyUse } from "./record-key-use.ts";

/** A cached credential is no longer valid. Nothing was written; look the credential up and retry. */
export class StaleCredential extends Error {
  override readonly name = "StaleCredential";
}

/**
 * The cached caller for this `Authorization` header, or undefined. The key may have been revoked or the plan changed since
 * it was cached. Use it only when the writing statement checks both, and look the key up when that fails.
 */
export function cachedCaller(services: Services, authorization: string | null): Caller | undefined {
  const entry = authorization === null ? undefined : cached.get(cacheKey(authorization));
  if (entry === undefined) return undefined;
  if (Date.now() - entry.recordedAtMs > RECORD_INTERVAL_MS) {
    entry.recordedAtMs = Date.now();
    recordKeyUse(services, entry.caller.credential.id);
  }
  return entry.caller;
}

/** Caches the caller of this header; undefined removes the entry. Evicts the oldest entry when full. */
export function cacheCaller(authorization: string, caller: Caller | undefined): void {
  const key = cacheKey(authorization);
  cached.delete(key);
  if (caller === undefined) return;
  const [oldest] = cached.size < KEYS_MAX ? [] : cached.keys();
  if (oldest !== undefined) cached.delete(oldest);
  cached.set(key, { caller, recordedAtMs: Date.now() });
}

const KEYS_MAX = 10_000;
const RECORD_INTERVAL_MS = 60_000;
const cached = new Map<string, { caller: Caller; recordedAtMs: number }>();

// By the token, so that a key has one entry however its header is spelled.
const cacheKey = (authorization: string) => hash("sha256", bearerToken(authorization) ?? authorization, "base64");
