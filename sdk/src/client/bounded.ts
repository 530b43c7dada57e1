/**
 * Settles as `work` does, resolves to undefined after `ms`, or rejects with the signal's reason when it is aborted. It
 * settles in time even if `work` ignores its signal.
 */
export function bounded<T>(
  work: (signal: AbortSignal) => Promise<T>,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const controller = new AbortController();
    const end = (settle: (value: never) => void, value?: unknown) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      settle(value as never);
      controller.abort(value);
    };
    const abort = () => end(reject, signal?.reason);
    // setTimeout takes at most 31 bits.
    const timer = ms < 2 ** 31 ? setTimeout(end, ms, resolve) : undefined;
    signal?.addEventListener("abort", abort);
    if (signal?.aborted) abort();
    else
      work(controller.signal).then(
        (value) => end(resolve, value),
        (error) => end(reject, error),
      );
  });
}
