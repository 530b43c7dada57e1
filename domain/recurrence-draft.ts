import { chooseWords } from "./chosen-time.ts";
import { parseCron } from "./cron.ts";
import { readCronChoice } from "./cron-choices.ts";
import { parseDuration } from "./duration.ts";
import { nearestZone } from "./nearest-zone.ts";
import {
  ON_RECURRING_CLOCK_CHANGE,
  type OnRecurringClockChange,
  type RecurrenceTimes,
  SPREAD_MS_MAX,
} from "./recurrence.ts";
import { type RecurrenceSpacing, recurrenceSpacing } from "./recurrence-spacing.ts";
import { CATCH_UP, OVERLAP } from "./recurrence-step.ts";
import {
  type DraftProblem,
  EMPTY_REQUEST,
  type FormFields,
  type RequestDraft,
  readRequestDraft,
  textOf,
} from "./schedule-draft.ts";
import { isZone } from "./zoned-time.ts";

/** The fields of the form of a recurrence, as they were typed. */
export type RecurrenceDraft = RequestDraft & {
  key: string;
  name: string;
  cron: string;
  /** A rule in words, of `CRON_CHOICES`, and its time of day: another way to write `cron`. */
  choice: string;
  time: string;
  zone: string;
  onClockChange: OnRecurringClockChange;
  overlap: (typeof OVERLAP)[number];
  catchUp: (typeof CATCH_UP)[number];
  /** A duration. */
  spread: string;
  /** An instant in words, or a date and a time of day in the zone. */
  ends: string;
};

const FIRST_RULE = "0 9 * * 1-5";

/** The draft of an empty form. */
export function emptyRecurrence(zone: string): RecurrenceDraft {
  const rule = { cron: FIRST_RULE, ...choiceOf(FIRST_RULE), zone, spread: "", ends: "" };
  const defaults = { onClockChange: "first", overlap: "allow", catchUp: "latest" } as const;
  return { key: "", name: "", ...rule, ...defaults, ...EMPTY_REQUEST };
}

/** Reads the draft from a form's fields. */
export function readRecurrenceDraft(fields: FormFields): RecurrenceDraft {
  const text = (name: string) => textOf(fields.get(name));
  const oneOf = <T extends string>(name: string, values: readonly [T, ...T[]]) =>
    values.find((value) => value === text(name)) ?? values[0];
  return {
    ...{ key: text("key"), name: text("name"), cron: text("cron"), choice: text("choice"), time: text("time") },
    ...{ zone: text("zone"), spread: text("spread"), ends: text("ends") },
    onClockChange: oneOf("onClockChange", ON_RECURRING_CLOCK_CHANGE),
    overlap: oneOf("overlap", OVERLAP),
    catchUp: oneOf("catchUp", CATCH_UP),
    ...readRequestDraft(fields),
  };
}

/** The fields of the choice for a rule; `time` stays what it was where the rule has none. */
export function choiceOf(cron: string, time = "09:00"): Pick<RecurrenceDraft, "choice" | "time"> {
  const choice = readCronChoice(cron);
  return { choice: choice?.value ?? "", time: choice?.time ?? time };
}

/** When a draft fires, and how often that is; or what is wrong with it, by field. */
export type DraftTimes =
  | { ok: true; times: RecurrenceTimes; spreadMs: number; spacing: RecurrenceSpacing }
  | { ok: false; problems: DraftProblem[] };

/** Judges the rule, zone, end and spread of a draft. `nowMs` is epoch ms. */
export function readTimes({ cron, zone, ends, spread, onClockChange }: RecurrenceDraft, nowMs: number): DraftTimes {
  const problems: DraftProblem[] = [];
  const parsed = parseCron(cron);
  if (!parsed.ok) problems.push({ field: "cron", message: describeFault(parsed.fault) });
  if (!isZone(zone)) {
    const near = nearestZone(zone);
    const instead = near ? `Did you mean ${near}?` : "Write one such as Europe/Berlin.";
    problems.push({ field: "zone", message: `There is no such zone. ${instead}` });
  }
  const end = ends.trim() === "" ? null : chooseWords(ends, zone, nowMs);
  if (end !== null && !end.ok && end.field === "words") problems.push({ field: "ends", message: end.message });
  const spreadMs = spread.trim() === "" ? 0 : parseDuration(spread.trim());
  if (spreadMs === null || spreadMs > SPREAD_MS_MAX)
    problems.push({ field: "spread", message: "The spread must be a duration of up to 1h, such as 10m." });
  if (!parsed.ok || problems.length > 0) return { ok: false, problems };
  const times = { rule: parsed.rule, zone, onClockChange, endsAtMs: end?.ok ? end.epochMs : null };
  const spacing = recurrenceSpacing(parsed.rule, nowMs);
  return { ok: true, times, spreadMs: spreadMs ?? 0, spacing };
}

function describeFault({
  field,
  position,
  message,
}: {
  field: string | null;
  position: number;
  message: string;
}): string {
  return field === null ? `The rule ${message}.` : `The rule is wrong at character ${position}: ${message}.`;
}
