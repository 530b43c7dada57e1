/** What `bounded` rejects with when the time is over. */
export const TIME_OVER: unique symbol = Symbol();

/**
 * Settles as `work` does, or rejects when `ms` are over (TIME_OVER) or `signal` is aborted (its reason), also when the
 * work ignores the signal that it is given.
 */
export function bounded<T>(
  work: (signal: AbortSignal) => Promise<T>,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const controller = new AbortController();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    };
    const stop = (reason: unknown) => {
      end();
      reject(reason);
      controller.abort(reason);
    };
    const abort = () => stop(signal?.reason);
    // A timer takes 31 bits.
    const timer = ms < 2 ** 31 ? setTimeout(() => stop(TIME_OVER), ms) : undefined;
    signal?.addEventListener("abort", abort);
    if (signal?.aborted) return abort();
    work(controller.signal).then(resolve, reject).finally(end);
  });
}

/** Waits. Rejects with the signal's reason when it is aborted. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await bounded(() => new Promise(() => {}), ms, signal);
  } catch (error) {
    if (error !== TIME_OVER) throw error;
  }
}
