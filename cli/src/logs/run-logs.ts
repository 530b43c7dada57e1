import type { LogFilter } from "../../../sdk/src/types.ts";
import type { Context } from "../context.ts";
import { UsageError } from "../errors/usage-error.ts";
import { type LimitOptions, parseLimit } from "../input/limit.ts";
import { type NarrowOptions, parseNarrow } from "../input/narrow-options.ts";
import { parseInstantOption, parseSince } from "../input/parse-instant-option.ts";
import { assertScheduleId } from "../input/read-ids.ts";
import { logColumns } from "../output/attempt-columns.ts";
import { printPages } from "../output/print-pages.ts";
import { followLog } from "./follow-log.ts";

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
