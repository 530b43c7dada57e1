/** Resolves after `ms`, at once when that is not positive. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, Math.max(ms, 0)));

/** The instant that is `ms` from now by this process's clock. */
export const inMs = (ms: number): Date => new Date(Date.now() + ms);

/** The time by this process's clock, whole seconds since 1970. */
export const nowS = (): number => Math.floor(Date.now() / 1_000);
