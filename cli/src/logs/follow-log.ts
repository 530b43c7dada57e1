import { StopwatchError } from "../../../sdk/src/index.ts";
import type { LogFilter, LoggedAttempt } from "../../../sdk/src/types.ts";
import type { Context } from "../context.ts";
import { describeError, exitCodeOf } from "../errors/describe-error.ts";
import { EXIT } from "../errors/exit-codes.ts";
import { logColumns } from "../output/attempt-columns.ts";
import { pause } from "../pause.ts";

/**
 * Prints the last `rows` attempts, then each new one once, oldest first, until Ctrl-C. An outage is a message, and the log
 * goes on after it.
 */
export async function followLog(context: Context, filter: LogFilter, rows: number): Promise<never> {
  const { client, out, say, signal } = context;
  const { logs } = client();
  const table = out.table(logColumns());
  const last = await logs.list({ ...filter, limit: Math.min(rows, 100) }, { signal });
  const seen = new Map(last.items.map((item) => [keyOf(item), Date.parse(item.attempted_at)]));
  table.add(last.items.toReversed());
  const beganMs = Date.parse(last.items[0]?.attempted_at ?? new Date().toISOString());

  /** Those not seen yet, oldest first. Stops at a page without any, unless `isSweep`. */
  const readNew = async (isSweep: boolean) => {
    const newestMs = Math.max(beganMs, ...seen.values());
    const found: LoggedAttempt[] = [];
    const from = new Date(Math.max(beganMs, newestMs - WINDOW_MS));
    for await (const { items } of logs.list({ ...filter, from, limit: 100 }, { signal }).pages()) {
      const unseen = items.filter((item) => !seen.has(keyOf(item)));
      found.push(...unseen);
      for (const item of unseen) seen.set(keyOf(item), Date.parse(item.attempted_at));
      if (unseen.length === 0 && !isSweep) break;
    }
    for (const [key, atMs] of seen) if (atMs < newestMs - 2 * WINDOW_MS) seen.delete(key);
    return found.reverse();
  };

  for (let poll = 1; ; poll++) {
    await pause(POLL_MS, signal);
    try {
      table.add(await readNew(poll % POLLS_OF_SWEEP === 0));
    } catch (error) {
      if (signal.aborted || !StopwatchError.is(error) || exitCodeOf(error) !== EXIT.unavailable) throw error;
      say(describeError(error).text);
    }
  }
}

const keyOf = ({ schedule_id, attempt }: LoggedAttempt) => `${schedule_id} ${attempt}`;

const POLL_MS = 1_000;
/** An attempt appears when it has ended, with the time at which it began: this long before at most, ms. */
const WINDOW_MS = 60_000;
/** Every tenth look reads the whole window, for those that took long. */
const POLLS_OF_SWEEP = 10;
