import { hash } from "node:crypto";
import type { Services } from "../services.ts";
import type { Caller } from "./authenticate.ts";
import { noteKeyUse } from "./record-key-use.ts";

/** What was taken from memory about a credential no longer holds: nothing was done, and it is to be looked at afresh. */
export class StaleCredential extends Error {
  override readonly name = "StaleCredential";
}

/**
 * The caller that this process found by the same `Authorization` header before. That proves nothing: the key may have
 * been revoked since, or the plan changed. It is for calls whose success comes from a statement that looks at both
 * itself, and whose failure makes the key be looked up after all.
 */
export function cachedCaller(held: Services, authorization: string | null): Caller | undefined {
  const known = authorization === null ? undefined : cached.get(nameOf(authorization));
  if (known === undefined) return undefined;
  if (Date.now() - known.notedAtMs > NOTED_EVERY_MS) {
    known.notedAtMs = Date.now();
    noteKeyUse(held, known.caller.credential.id);
  }
  return known.caller;
}

/** Caches whose key is in this header; undefined forgets it. */
export function cacheCaller(authorization: string, caller: Caller | undefined): void {
  const name = nameOf(authorization);
  cached.delete(name);
  if (caller === undefined) return;
  const [oldest] = cached.size < KEYS_MAX ? [] : cached.keys();
  if (oldest !== undefined) cached.delete(oldest);
  cached.set(name, { caller, notedAtMs: Date.now() });
}

const KEYS_MAX = 10_000;
const NOTED_EVERY_MS = 60_000;
const cached = new Map<string, { caller: Caller; notedAtMs: number }>();

const nameOf = (authorization: string) => hash("sha256", authorization, "base64");
