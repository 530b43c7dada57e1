import { fstatSync, fsyncSync, writeSync } from "node:fs";
import type { OperationSet, Schedule } from "../../../sdk/src/types.ts";
import type { Context } from "../context.ts";
import { EXIT } from "../errors/exit-codes.ts";
import { UsageError } from "../errors/usage-error.ts";
import type { FilterOptions } from "../input/filter-options.ts";
import { type AllOption, filterOrAll } from "../input/ids-or-filter.ts";
import { parseFilter } from "../input/schedule-filter.ts";
import { describeFilter } from "../operations/describe-filter.ts";
import { createProgress } from "../output/progress.ts";
import { cancelExported } from "./cancel-exported.ts";

export type ExportOptions = FilterOptions & AllOption & { cancel?: true; yes?: true };

/**
 * Writes the schedules that match to stdout as JSON lines, and cancels them where that is asked for: once all lines are in a
 * file, so that a cut never loses one. Returns the exit code.
 */
export async function runExport(context: Context, options: ExportOptions): Promise<number> {
  const { out, say } = context;
  const given = filterOrAll(parseFilter(options, Date.now()), options, EXAMPLE);
  if (options.cancel && !given) throw new UsageError("--cancel needs a filter such as --q, or --all", EXAMPLE);
  const filter = given ?? {};
  if (options.cancel) return exportAndCancel(context, { status: ["scheduled"], ...filter }, options.yes);
  say(WITHOUT_PAYLOADS);
  const count = await exportAll(context, filter, (schedule) => out.raw(`${JSON.stringify(schedule)}\n`));
  say(`Exported ${countOf(count)}.`);
  return EXIT.done;
}

async function exportAndCancel(context: Context, filter: OperationSet, isYes: boolean | undefined): Promise<number> {
  const { client, confirm, say, signal } = context;
  const file = fileLines(process.stdout.fd);
  if (file === undefined) {
    const why = "needs stdout to be a file, where the export is safe before anything is cancelled";
    throw new UsageError(`--cancel ${why}`, EXAMPLE);
  }
  say(WITHOUT_PAYLOADS);
  const { total, total_capped } = await client().schedules.list({ ...filter, limit: 1 }, { signal });
  const expected = `${total_capped ? "more than " : ""}${countOf(total)}`;
  if (total > 0 && !(await confirm(`Export and then cancel ${expected} (${describeFilter(filter)})?`, isYes))) {
    say("Nothing was done.");
    return EXIT.partly;
  }
  const ids: string[] = [];
  await exportAll(context, filter, (schedule) => {
    file.write(schedule);
    ids.push(schedule.id);
  });
  file.sync();
  return cancelAll(context, ids);
}

async function exportAll(
  { client, signal }: Context,
  filter: OperationSet,
  write: (schedule: Schedule) => void,
): Promise<number> {
  const progress = createProgress();
  const { schedules } = client();
  let count = 0;
  try {
    for await (const { items, total } of schedules.list({ ...filter, limit: 100 }, { signal }).pages()) {
      items.forEach(write);
      count += items.length;
      progress.show(`${count} of ${total} schedules`);
    }
    return count;
  } finally {
    progress.end();
  }
}

async function cancelAll({ client, say, signal }: Context, ids: readonly string[]): Promise<number> {
  const progress = createProgress();
  const onProgress = (count: number) => progress.show(`Cancelled ${count} of ${ids.length}`);
  try {
    const left = await cancelExported(client(), ids, { signal, onProgress });
    progress.end();
    for (const { id, why } of left.slice(0, SHOWN_MAX)) say(`${id} was not cancelled: it is ${why}.`);
    if (left.length > SHOWN_MAX) say(`And ${left.length - SHOWN_MAX} more.`);
    say(`Exported ${countOf(ids.length)}, and cancelled ${ids.length - left.length}.`);
    return left.length > 0 ? EXIT.partly : EXIT.done;
  } catch (error) {
    progress.end();
    say("The export is complete, but not all of it is cancelled: `stopwatch cancel - < FILE` cancels the rest.");
    throw error;
  }
}

const EXAMPLE = "stopwatch export --cancel --all > schedules.jsonl";
const WITHOUT_PAYLOADS = "Payloads and headers are not in an export: the service never returns them.";
const SHOWN_MAX = 10;

const countOf = (count: number) => `${count} ${count === 1 ? "schedule" : "schedules"}`;

/** Lines in a file that is open. What they are written to is safe when `sync` has returned. */
type FileLines = { write(item: object): void; sync(): void };

/** Lines for a descriptor; undefined when it is no file, so that nobody knows where its lines end up. */
function fileLines(descriptor: number): FileLines | undefined {
  if (!fstatSync(descriptor).isFile()) return undefined;
  return {
    write(item) {
      let bytes = Buffer.from(`${JSON.stringify(item)}\n`);
      while (bytes.length > 0) bytes = bytes.subarray(writeSync(descriptor, bytes));
    },
    sync: () => fsyncSync(descriptor),
  };
}
