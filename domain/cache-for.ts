/**
 * Wraps `read` so that its result is cached for `maxAgeMs`. Concurrent callers share one call. A rejection is not cached.
 * `nowMs` must be monotonic.
 */
export function cacheFor<T>(
  maxAgeMs: number,
  read: () => Promise<T>,
  nowMs = () => performance.now(),
): () => Promise<T> {
  let cached: { value: Promise<T>; expiresAtMs: number } | undefined;
  return () => {
    if (cached && nowMs() < cached.expiresAtMs) return cached.value;
    const fresh = { value: read(), expiresAtMs: nowMs() + maxAgeMs };
    cached = fresh;
    fresh.value.catch(() => {
      if (cached === fresh) cached = undefined;
    });
    return fresh.value;
  };
}

/** Wraps `read` and keeps its last result, for when it fails later; `last` returns null before the first success. */
export function rememberLast<T>(read: () => Promise<T>): { read(): Promise<T>; last(): T | null } {
  let last: T | null = null;
  return {
    read: async () => {
      last = await read();
      return last;
    },
    last: () => last,
  };
}
