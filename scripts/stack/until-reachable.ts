import { setTimeout as sleep } from "node:timers/promises";
import { MigrationError } from "#db/migrator/migration-error.ts";

type Options = { onLog: (line: string) => void; signal: AbortSignal };

const AGAIN_MS = 1_000;

/**
 * Returns what `migrate` does, once the database can be reached: it may be started at the same time as its service. Says
 * that it waits, and why, each time that the reason is another one. Throws what `migrate` throws for any other reason, and the
 * reason of `signal`.
 */
export async function untilReachable<T>(migrate: () => Promise<T>, { onLog, signal }: Options): Promise<T> {
  let said: string | undefined;
  for (;;) {
    try {
      const result = await migrate();
      if (said !== undefined) onLog("the database is there");
      return result;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof MigrationError && error.isUnreachable)) throw error;
      if (error.message !== said) onLog(`waiting for the database. ${error.message}`);
      said = error.message;
    }
    await sleep(AGAIN_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
