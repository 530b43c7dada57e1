import { z } from "zod";
import { describeDurationProblem, parseDuration } from "#domain/duration.ts";
import type { AppError } from "#domain/errors.ts";
import {
  type ClockChange,
  type FireTime,
  type GivenTime,
  NOW,
  ON_CLOCK_CHANGE,
  resolveFireTime,
} from "#domain/fire-time.ts";
import { parseInstant } from "#domain/instant.ts";
import { describeInstantProblem } from "#domain/instant-problem.ts";
import { readLocalTime } from "#domain/local-time.ts";
import { describeLocalTimeProblem } from "#domain/local-time-problem.ts";
import { isZone } from "#domain/zoned-time.ts";
import { invalid } from "./validate.ts";

/** An RFC 3339 instant, parsed to epoch ms, rounded up. The statement that stores it checks that it is in the future. */
const FireAt = instant("RFC 3339 with an offset, in the future; rounded up to a millisecond.", adviceFor);

/** An RFC 3339 instant, parsed to epoch ms, rounded up. `advice` adds to what is wrong with another text. */
export function instant(description: string, advice: (written: string) => string = () => "") {
  return z
    .string("must be a string, such as 2031-01-01T09:00:00Z")
    .meta({ format: "date-time", description })
    .transform((written, context) => {
      const epochMs = parseInstant(written);
      if (epochMs !== null) return epochMs;
      context.addIssue(describeInstantProblem(written) + advice(written));
      return z.NEVER;
    });
}

/** A duration, parsed to ms, rounded up. */
export const durationInput = (described: { examples: string[]; description: string }) =>
  z
    .string('must be a string, such as "90s"')
    .meta(described)
    .transform((written, context) => {
      const ms = parseDuration(written);
      if (ms !== null) return ms;
      context.addIssue(describeDurationProblem(written));
      return z.NEVER;
    });

const FireIn = durationInput({
  examples: ["90s", "1h30m", "PT90M"],
  description:
    "How long from now, by the service's clock: w, d, h, m and s, the largest first, or ISO 8601 without years and months. A day is 24 hours. From 1 second.",
});

/** A date and a time of day, and its fraction of a second in ms. */
const FireAtLocal = z
  .string("must be a string, such as 2031-01-01T09:00")
  .meta({
    examples: ["2031-01-01T09:00", "2031-01-01T09:00:30.5"],
    description: "A date and a time of day without an offset, by the clocks of `timezone`.",
  })
  .transform((written, context) => {
    const read = readLocalTime(written);
    if (typeof read !== "string") return read;
    context.addIssue(describeLocalTimeProblem(written));
    return z.NEVER;
  });

/** The name of an IANA zone, in any letter case. `suggest` returns one that is near another text. */
export const timezoneInput = (
  description: string,
  suggest: (written: string) => string | undefined = () => undefined,
) =>
  z
    .string("must be a string, such as Europe/Berlin")
    .refine(isZone, {
      error: ({ input }) => {
        const near = suggest(String(input));
        return near === undefined ? zoneProblem(String(input)) : `${ZONE}; did you mean ${near}?`;
      },
    })
    .meta({ examples: ["Europe/Berlin", "America/New_York", "UTC"], description });

/** The fields that say when a schedule fires: `fireAt`, `fireIn`, or `fireAtLocal` with what belongs to it. */
export const TIME_FIELDS = {
  fireAt: FireAt.optional(),
  fireIn: FireIn.optional(),
  fireAtLocal: FireAtLocal.optional(),
  timezone: timezoneInput("The IANA zone of `fireAtLocal`.").optional(),
  onClockChange: z
    .enum(ON_CLOCK_CHANGE, "must be first, second or refuse")
    .optional()
    .describe(
      "What to do when the clocks of the zone skip or repeat `fireAtLocal`: of two instants the `first` (default) or the `second`; skipped, both mean the time by the offset before the change. `refuse` answers `VALIDATION`.",
    ),
};

export type TimeInput = z.infer<z.ZodObject<typeof TIME_FIELDS>>;

const NAMES = ["fireAt", "fireIn", "fireAtLocal"] as const;

/** The field that says when a schedule fires. */
export type TimeName = (typeof NAMES)[number];

const ONE_EACH = NAMES.map((name) => ({ required: [name] }));
/** The fields that stand only beside others. */
export const BELONG_TOGETHER = {
  dependentRequired: { fireAtLocal: ["timezone"], timezone: ["fireAtLocal"], onClockChange: ["fireAtLocal"] },
};

/** What JSON Schema says of a body that `checkOneTime` accepts. */
export const ONE_TIME = { ...BELONG_TOGETHER, oneOf: ONE_EACH };

/** What JSON Schema says of a body that `checkTimes` accepts. */
export const AT_MOST_ONE_TIME = { ...BELONG_TOGETHER, oneOf: [...ONE_EACH, { not: { anyOf: ONE_EACH } }] };

/** For `superRefine`: reports the fields of a body that do not go together, whatever else is wrong with it. */
export function checkTimes(body: TimeInput, context: z.RefinementCtx): void {
  const [first, ...others] = NAMES.filter((name) => body[name] !== undefined);
  for (const name of others) addProblem(context, name, `cannot stand beside ${first}: ${GIVE_ONE}`);
  const named = (["timezone", "onClockChange"] as const).filter((name) => body[name] !== undefined);
  if (body.fireAtLocal === undefined) for (const name of named) addProblem(context, name, WITHOUT_LOCAL);
  else if (!named.includes("timezone")) addProblem(context, "timezone", WITHOUT_ZONE);
}

/** As `checkTimes`, for a body that must have a time. */
export function checkOneTime(body: TimeInput, context: z.RefinementCtx): void {
  if (Object.keys(TIME_FIELDS).every((name) => body[name as keyof TimeInput] === undefined)) {
    addProblem(context, "fireAt", `is required, or another time: ${GIVE_ONE}`);
  }
  checkTimes(body, context);
}

/** Parameters of `superRefine`, so that these checks run although other fields are invalid. */
export const WHATEVER_ELSE = { when: ({ value }: { value: unknown }) => typeof value === "object" && value !== null };

/**
 * A time that was given: what it was, what it means, and how the clocks change at a local time (undefined for others). One
 * with a `refusal` has no instant, and a `fireTime` that nobody may use: it is refused once the idempotency key is known to
 * be new.
 */
export type ReadTime = {
  name: TimeName;
  given: GivenTime;
  fireTime: FireTime;
  clockChange?: ClockChange;
  refusal?: AppError;
};

/** The time of a body that `checkTimes` has accepted; undefined when it has none. */
export function readTime({ fireAt, fireIn, fireAtLocal, timezone, onClockChange }: TimeInput): ReadTime | undefined {
  if (fireAt !== undefined) return asGiven("fireAt", { atMs: fireAt });
  if (fireIn !== undefined) return asGiven("fireIn", { inMs: fireIn });
  if (fireAtLocal === undefined || timezone === undefined) return undefined;
  const given = { ...fireAtLocal, zone: timezone, onClockChange: onClockChange ?? "first" };
  const resolved = resolveFireTime(given);
  if (!resolved.ok) {
    const refusal = invalid([{ path: "fireAtLocal", message: resolved.message }]);
    const other = resolveFireTime({ ...given, onClockChange: "first" });
    const clockChange = other.ok ? other.clockChange : null;
    return { name: "fireAtLocal", given, fireTime: NOW, refusal, clockChange };
  }
  const { atMs, clockChange } = resolved;
  return { name: "fireAtLocal", given, fireTime: { atMs }, clockChange };
}

/** VALIDATION of a time that is not in the future. */
export function notInFuture(name: TimeName): AppError {
  return invalid([{ path: name, message: "must be in the future" }]);
}

const GIVE_ONE =
  'give one of fireAt ("2031-01-01T09:00:00Z"), fireIn ("90s") and fireAtLocal ("2031-01-01T09:00") with timezone';
const WITHOUT_LOCAL = 'goes with fireAtLocal, such as "2031-01-01T09:00", which is missing';
const WITHOUT_ZONE = "is required with fireAtLocal, such as Europe/Berlin";

const asGiven = (name: TimeName, fireTime: FireTime): ReadTime => ({ name, given: fireTime, fireTime });

function addProblem(context: z.RefinementCtx, name: string, message: string): void {
  context.addIssue({ code: "custom", path: [name], message });
}

function adviceFor(written: string): string {
  if (parseDuration(written) !== null) return "; fireIn takes durations";
  return typeof readLocalTime(written) === "string" ? "" : "; or give fireAtLocal and timezone in its place";
}

function zoneProblem(written: string): string {
  if (/^([+-]\d|Z$|(UTC|GMT)[+-])/i.test(written)) return `${ZONE}; with an offset, use fireAt`;
  return /^[a-z]{2,5}$/i.test(written) ? `${ZONE}; abbreviations are ambiguous` : ZONE;
}

const ZONE = "must be a zone of the IANA database, such as Europe/Berlin";
