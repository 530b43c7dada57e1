import { setTimeout as wait } from "node:timers/promises";
import { aborted } from "../aborted.ts";
import { count } from "../count.ts";
import { createProgress } from "../progress.ts";
import { SetupError } from "../setup-error.ts";
import type { Plan } from "./check.ts";
import { abort, type CopyState, readCopyState } from "./replicate.ts";

/** What may be left to take over when the flip begins, bytes: far less than a second of work. */
const LAG_BYTES_MAX = 4_000_000;
const CAUGHT_UP_TIMES = 3;

/**
 * Shows how far the target is, until it has all tables and has caught up three seconds in a row. Takes the move back when
 * it does not catch up within `waitMs` after the tables. Throws a SetupError then, and the signal's reason.
 */
export async function follow(
  { source, target }: Plan,
  { waitMs, signal }: { waitMs: number; signal: AbortSignal },
): Promise<void> {
  const progress = createProgress(process.stdout);
  let caughtUp = 0;
  let copiedAt: number | undefined;
  try {
    for (;;) {
      const state = await Promise.race([readCopyState(source, target), aborted(signal)]);
      progress.show(describe(state));
      const isCopied = state.tables > 0 && state.tablesCopied === state.tables;
      if (isCopied && copiedAt === undefined) {
        copiedAt = performance.now();
        // Statistics are not copied, and plans depend on them.
        await target.sql`ANALYZE`;
      }
      caughtUp = isCopied && state.lagBytes <= LAG_BYTES_MAX ? caughtUp + 1 : 0;
      if (caughtUp >= CAUGHT_UP_TIMES) return;
      if (copiedAt !== undefined && performance.now() - copiedAt > waitMs) {
        await abort(source, target);
        throw new SetupError(
          `${target.name} did not catch up within ${waitMs / 1_000} s: it is ${megabytes(state.lagBytes)} MB behind. The move was taken back, and nothing has changed for the service. Give that server more, or take a quieter hour, or a longer --wait.`,
        );
      }
      await wait(1_000, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  } finally {
    progress.end();
  }
}

function describe({ tables, tablesCopied, rows, rowsCopied, lagBytes, errors }: CopyState): string {
  const trouble = errors > 0 ? `, ${errors} errors, which the log of the new server names` : "";
  if (tablesCopied < tables)
    return `${tablesCopied} of ${tables} tables copied, ${count(rowsCopied)} of about ${count(rows)} rows${trouble}`;
  return `all ${tables} tables copied, ${megabytes(lagBytes)} MB to catch up${trouble}`;
}

const megabytes = (bytes: number) => (bytes / 1_000_000).toFixed(1);
