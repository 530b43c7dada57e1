import { StopwatchError } from "../../../sdk/src/index.ts";
import type { ChangedRecurrence, Recurrence, RecurrenceInput } from "../../../sdk/src/types.ts";
import type { Context } from "../context.ts";
import { describeError, exitCodeOf } from "../errors/describe-error.ts";
import { EXIT } from "../errors/exit-codes.ts";
import { UsageError } from "../errors/usage-error.ts";
import { findJsonFault } from "../import/json-fault.ts";
import { decodeUtf8 } from "../input/decode-utf8.ts";
import { readBytes } from "../input/read-bytes.ts";
import { recurrenceColumns } from "../output/recurrence-facts.ts";

/** What an entry of the file would do. */
type Planned = { key: string; input: RecurrenceInput; isNew: boolean; changes: string[] };

/**
 * Makes recurrences those of a file, by their keys; those that it does not name stay. The service judges every entry and says what
 * would change before anything is stored. Returns the exit code.
 */
export async function applyFile(
  context: Context,
  path: string,
  { isYes, isDry }: { isYes: boolean | undefined; isDry: boolean | undefined },
): Promise<number> {
  const { client, confirm, out, say, signal } = context;
  const { recurrences } = client();
  const planned: Planned[] = [];
  const refused: number[] = [];
  for (const { key, ...input } of await readEntries(path)) {
    try {
      const before = await recurrences.get(key, { signal }).catch(undefinedIfNone);
      const after = await recurrences.put(key, input, { signal, dryRun: true });
      planned.push({ key, input, isNew: before === undefined, changes: before ? changesOf(before, after) : [] });
    } catch (error) {
      if (!StopwatchError.is(error) || ![EXIT.usage, EXIT.state].some((code) => code === exitCodeOf(error)))
        throw error;
      const { text, exitCode } = describeError(error);
      say(text.replace("stopwatch: ", `stopwatch: ${JSON.stringify(key)}: `));
      refused.push(exitCode);
    }
  }
  for (const { key, isNew, changes } of planned) {
    if (isNew) say(`+ ${JSON.stringify(key)}`);
    else if (changes.length > 0) say([`~ ${JSON.stringify(key)}`, ...changes].join("\n    "));
  }
  if (refused.length > 0) {
    say("Nothing was stored.");
    return refused[0] as number;
  }
  const changed = planned.filter(({ isNew, changes }) => isNew || changes.length > 0);
  const added = changed.filter(({ isNew }) => isNew).length;
  const summary = `${added} new, ${changed.length - added} changed, ${planned.length - changed.length} as they are`;
  if (isDry || changed.length === 0) {
    say(`${summary}${isDry ? ": nothing was stored." : "."}`);
    return EXIT.done;
  }
  if (!(await confirm(`Apply (${summary})?`, isYes))) {
    say("Nothing was stored.");
    return EXIT.partly;
  }
  const table = out.table(recurrenceColumns());
  for (const { key, input } of changed) table.add([await recurrences.put(key, input, { signal })]);
  return EXIT.done;
}

function undefinedIfNone(error: unknown): undefined {
  if (StopwatchError.is(error) && error.code === "NOT_FOUND") return undefined;
  throw error;
}

/** What a PUT sets and answers. Payload and headers are not answered, only whether anything would change. */
const FIELDS = [
  ...["name", "cron", "timezone", "on_clock_change", "overlap", "catch_up", "spread_ms", "ends_at"],
  ...["target_url", "method", "early_fire", "payload_size_bytes", "delivery"],
] as readonly (keyof Recurrence)[];

function changesOf(before: Recurrence, after: ChangedRecurrence): string[] {
  // The same request leaves it as it is.
  if (after.updated_at === before.updated_at) return [];
  const lines = FIELDS.flatMap((name) => {
    const [old, next] = [before[name], after[name]].map((value) => JSON.stringify(value));
    return old === next ? [] : [`${name}: ${old} -> ${next}`];
  });
  return lines.length > 0 ? lines : ["payload or headers"];
}

type Entry = RecurrenceInput & { key: string };

const FILE_EXAMPLE = '[{ "key": "daily-report", "cron": "0 9 * * 1-5", "targetUrl": "https://example.com/report" }]';

/** The recurrences of a JSON file, or of stdin for `-`. Throws a UsageError; the service judges what is in each. */
async function readEntries(path: string): Promise<Entry[]> {
  const refuse = (problem: string) => new UsageError(`${path === "-" ? "stdin" : path} ${problem}`, FILE_EXAMPLE);
  const text = decodeUtf8(await readBytes(path, "FILE"), "FILE").replace(/^\ufeff/, "");
  const fault = findJsonFault(text);
  if (fault) throw refuse(`${fault.message} (line ${text.slice(0, fault.column - 1).split("\n").length})`);
  const entries: unknown = JSON.parse(text);
  if (!Array.isArray(entries)) throw refuse("must be a list of recurrences");
  const keys = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    const { key } = (typeof entry === "object" && entry !== null ? entry : {}) as { key?: unknown };
    if (typeof key !== "string" || key === "") throw refuse(`has no key in its entry ${index + 1}`);
    if (keys.has(key)) throw refuse(`has the key ${JSON.stringify(key)} twice`);
    keys.add(key);
  }
  return entries as Entry[];
}
