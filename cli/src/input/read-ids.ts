import { UsageError } from "../errors/usage-error.ts";
import { readStdin } from "./read-stdin.ts";

/**
 * The ids of schedules among the arguments. `-` stands for the lines of stdin: an id each, or a JSON object with an `id`, as
 * `list --json` prints them. Throws a UsageError for anything else, and when there are none.
 */
export async function readScheduleIds(args: readonly string[], example: string): Promise<string[]> {
  const ids: string[] = [];
  for (const arg of args) {
    if (arg === "-") ids.push(...parseIdLines(await readStdin("ID -"), example));
    else ids.push(assertScheduleId(arg, "ID", example));
  }
  if (ids.length === 0) throw new UsageError("ID is missing: no line of stdin has one", example);
  return ids;
}

/** Returns the id. Throws a UsageError that names `option` unless it is one of a schedule. */
export function assertScheduleId(id: string, option: string, example: string): string {
  if (SCHEDULE_ID.test(id)) return id;
  const [, prefix = ""] = /^([a-z]+)_/.exec(id) ?? [];
  const kind = OTHER_KINDS.get(prefix);
  const problem = kind
    ? `is the id of ${kind}, not of a schedule`
    : "must be the id of a schedule: sch_ and 26 characters";
  throw new UsageError(`${option} ${problem}`, example);
}

function parseIdLines(text: string, example: string): string[] {
  return text.split("\n").flatMap((line, at) => {
    const given = line.trim();
    if (given === "") return [];
    const id = given.startsWith("{") ? idOf(given) : given;
    return [assertScheduleId(id, `ID in line ${at + 1} of stdin`, example)];
  });
}

function idOf(json: string): string {
  try {
    const { id, schedule_id } = JSON.parse(json);
    return String(id ?? schedule_id);
  } catch {
    return "";
  }
}

const SCHEDULE_ID = /^sch_[0-7][0-9a-hjkmnp-tv-z]{25}$/;

const OTHER_KINDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    op: "an operation",
    key: "an API key",
    acc: "an account",
    lsn: "a listener",
    ses: "a session",
    evt: "an event",
  }),
);
