import type { Sql } from "../client.ts";

/** What the steps of one run of `migrate` share. */
export type MigrationSession = {
  /** A pool of one connection. It holds the advisory lock. */
  sql: Sql;
  /** Another connection, which sees what the first one waits for. */
  watcher: Sql;
  /** How long a migration, or a step of one, may wait for other transactions, ms. */
  waitMs: number;
  onLog: (line: string) => void;
  /** Ends the run. What is applied stays. */
  signal: AbortSignal | undefined;
};

/** Waits. Rejects with the reason of the signal as soon as it is aborted. */
export function pause({ signal }: Pick<MigrationSession, "signal">, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
