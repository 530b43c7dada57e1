import { type InstantFault, readInstant } from "./instant.ts";

/** What is wrong with a text that `parseInstant` refuses, for its writer; nothing of the text is repeated. */
export function describeInstantProblem(text: string): string {
  const read = readInstant(text);
  if (typeof read === "string" && read !== "form") return FAULTS[read];
  const hint = HINTS.find(([pattern]) => pattern.test(text))?.[1];
  return hint === undefined ? FORM : `${FORM}; ${hint}`;
}

const FORM = "must be an RFC 3339 instant with an offset, such as 2031-01-01T09:00:00Z";

const FAULTS: Record<Exclude<InstantFault, "form">, string> = {
  calendar: "must be a day of the calendar and a time of that day (no 24:00, no leap second, offsets up to 23:59)",
  years: "must lie in the years 0001 to 9999, in UTC",
  rounding: "must be at most 9999-12-31T23:59:59.999Z; it is rounded up to a millisecond, and so past the year 9999",
};

const DATE = String.raw`\d{4}-\d\d-\d\d`;
const TIME = String.raw`\d\d:\d\d(:\d\d(\.\d+)?)?`;

/** What people write in place of it, the first that fits. */
const HINTS: [RegExp, string][] = [
  [/^\d{9,11}(\.\d+)?$/, "seconds since 1970 are not read"],
  [/^\d{12,14}$/, "milliseconds since 1970 are not read"],
  [new RegExp(`^${DATE}$`), "the time of day is missing"],
  [new RegExp(`^${DATE}T${TIME} \\d\\d:\\d\\d$`), "the + of an offset is written as %2B in an address"],
  [new RegExp(`^${DATE} `), "a T stands between date and time"],
  [new RegExp(`^${DATE}T${TIME}$`), "the offset is missing: Z for UTC, or one such as +01:00"],
  [new RegExp(`^${DATE}T${TIME}[+-]\\d\\d(\\d\\d)?$`), "an offset is written as +01:00"],
  [/\[.*\]$/, "the name of a time zone is not read"],
  [/\.\d{10,}(Z|[+-])/, "seconds have at most nine decimals"],
  [new RegExp(`^${DATE}T${TIME}([Zz]|[+-]\\d\\d:\\d\\d)$`, "i"), "T and Z are capitals"],
  [/[a-z]{2}/i, "words and lengths of time are not read"],
];
