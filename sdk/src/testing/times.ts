import { parseDuration } from "./durations.ts";
import { type AddProblem, type Fields, oneOf, optional, parsed } from "./fields.ts";
import { isInRange, type LocalTime, parseInstant, parseLocalTime } from "./instants.ts";
import { type Refusal, refuseField } from "./refusal.ts";
import { instantsOf, isZone } from "./zones.ts";

/** When a schedule fires: an instant (epoch ms), ms from now, or a local time. */
export type TimeBody = {
  fireAt?: number | undefined;
  fireIn?: number | undefined;
  fireAtLocal?: LocalTime | undefined;
  timezone?: string | undefined;
  onClockChange?: "first" | "second" | "refuse" | undefined;
};

export const TIME_FIELDS: Fields<TimeBody> = {
  fireAt: optional(parsed(parseInstant, "an RFC 3339 instant with an offset, such as 2031-01-01T09:00:00Z")),
  fireIn: optional(parsed(parseFireIn, 'a duration from 1 second on, such as "90s", "1h30m" or "PT90M"')),
  fireAtLocal: optional(parsed(parseLocalTime, "a date and a time of day without an offset, such as 2031-01-01T09:00")),
  timezone: optional(
    parsed((name) => (isZone(name) ? name : null), "a zone of the IANA database, such as Europe/Berlin"),
  ),
  onClockChange: optional(oneOf("first", "second", "refuse")),
};

/** Checks that at most one time is given, and what belongs to it. */
export function checkTimes(body: { [name: string]: unknown }, add: AddProblem): void {
  const [first, ...others] = NAMES.filter((name) => body[name] !== undefined);
  for (const name of others) add(name, `cannot stand beside ${first}`);
  const isLocal = body.fireAtLocal !== undefined;
  for (const name of ["timezone", "onClockChange"])
    if (!isLocal && body[name] !== undefined) add(name, "goes with fireAtLocal, which is missing");
  if (isLocal && body.timezone === undefined) add("timezone", "is required with fireAtLocal, such as Europe/Berlin");
}

/** As `checkTimes`; one time must be given. */
export function checkOneTime(body: { [name: string]: unknown }, add: AddProblem): void {
  if (Object.keys(TIME_FIELDS).every((name) => body[name] === undefined))
    add("fireAt", "is required, or fireIn, or fireAtLocal with timezone");
  checkTimes(body, add);
}

/** A time as given: its field, its instant, and a text to compare it with the time of another request. */
export type GivenTime = {
  name: string;
  atMs: number;
  compared: string;
  /** Of a local time. */
  clockChange?: "gap" | "repeat" | null;
  /** Why there is no such instant. It counts once the idempotency key is known to be new. */
  refusal?: Refusal | undefined;
};

/** The time of a body; undefined without one. */
export function readTime(body: TimeBody, nowMs: number): GivenTime | undefined {
  const { fireAt, fireIn, fireAtLocal: local, timezone = "", onClockChange = "first" } = body;
  if (fireAt !== undefined) return { name: "fireAt", atMs: fireAt, compared: `${fireAt}` };
  if (fireIn !== undefined) return { name: "fireIn", atMs: nowMs + fireIn, compared: `in ${fireIn}` };
  if (local === undefined) return undefined;
  const { first, second, change } = instantsOf(local.ms, timezone);
  const name = "fireAtLocal";
  const atMs = (onClockChange === "second" ? second : first) + local.fractionMs;
  const problem =
    change && onClockChange === "refuse"
      ? { gap: "does not exist there", repeat: "comes twice there" }[change]
      : !isInRange(atMs) && "must be at most 9999-12-31T23:59:59.999 in UTC";
  const refusal = problem ? refuseField(name, problem) : undefined;
  const compared = `local ${local.ms + local.fractionMs} ${timezone} ${onClockChange}`;
  return { name, atMs, compared, clockChange: change, refusal };
}

const NAMES = ["fireAt", "fireIn", "fireAtLocal"];

function parseFireIn(text: string): number | null {
  const ms = parseDuration(text);
  return ms !== null && ms >= 1_000 ? ms : null;
}
