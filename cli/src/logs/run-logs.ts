import { StopwatchError } from "../../../sdk/src/index.ts";
import type { LogFilter, LoggedAttempt } from "../../../sdk/src/types.ts";
import type { Context } from "../context.ts";
import { describeError, exitCodeOf } from "../errors/describe-error.ts";
import { EXIT } from "../errors/exit-codes.ts";
import { UsageError } from "../errors/usage-error.ts";
import { type LimitOptions, parseLimit } from "../input/limit.ts";
import { type NarrowOptions, parseNarrow } from "../input/narrow-options.ts";
import { parseInstantOption, parseSince } from "../input/parse-instant-option.ts";
import { assertScheduleId } from "../input/read-ids.ts";
import { logColumns } from "../output/attempt-columns.ts";
import { printPages } from "../output/print-pages.ts";
import { pause } from "../pause.ts";

const EXAMPLE = "stopwatch logs --follow --outcome failed";

/** The options of `logs`. */
export type LogOptions = LimitOptions &
  NarrowOptions &
  Pick<LogFilter, "outcome" | "q" | "sort"> & {
    follow?: true;
    measured?: true;
    schedule?: string;
    from?: string;
    to?: string;
    since?: string;
  };

/** Prints attempts of all schedules, or follows them. Returns the exit code. */
export async function runLogs(context: Context, options: LogOptions): Promise<number | undefined> {
  const { client, out, say, signal } = context;
  const filter = parseLogFilter(options, Date.now());
  const rows = parseLimit(options);
  if (options.follow) {
    if (options.to !== undefined) throw new UsageError("--to has no meaning with --follow", EXAMPLE);
    if (options.all) throw new UsageError("--all has no meaning with --follow: use --limit", EXAMPLE);
    if (options.sort === "late") throw new UsageError("--sort late has no meaning with --follow", EXAMPLE);
    return followLog(context, filter, rows);
  }
  const pager = client().logs.list({ ...filter, limit: Math.min(rows, 100) }, { signal });
  await printPages(pager, rows, out.table(logColumns()), say);
  return undefined;
}

function parseLogFilter(options: LogOptions, nowMs: number): LogFilter {
  const { outcome, q, sort, measured, schedule, from, to, since } = options;
  if (from !== undefined && since !== undefined) throw new UsageError("--since must not stand beside --from", EXAMPLE);
  return {
    outcome,
    q,
    sort,
    ...parseNarrow(options),
    measured: measured && "true",
    schedule_id: schedule === undefined ? schedule : assertScheduleId(schedule, "--schedule", EXAMPLE),
    from: since !== undefined ? parseSince(since, nowMs) : parseBound(from, "--from"),
    to: parseBound(to, "--to"),
  };
}

function parseBound(instant: string | undefined, option: string): string | undefined {
  return instant === undefined ? instant : parseInstantOption(instant, option);
}

/**
 * Prints the last `rows` attempts, then each new one once, oldest first, until Ctrl-C. An outage is a message, and the log
 * goes on after it.
 */
async function followLog(context: Context, filter: LogFilter, rows: number): Promise<never> {
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
