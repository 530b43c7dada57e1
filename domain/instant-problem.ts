import { describeFormProblem, type Hints } from "./form-problem.ts";
import { type InstantFault, readInstant } from "./instant.ts";

/** The error message for a text that `parseInstant` rejects. Does not quote the text. */
export function describeInstantProblem(text: string): string {
  const read = readInstant(text);
  if (typeof read === "string" && read !== "form") return FAULTS[read];
  return describeFormProblem(FORM, HINTS, text);
}

const FORM = "must be an RFC 3339 instant with an offset, such as 2031-01-01T09:00:00Z";

const FAULTS: Record<Exclude<InstantFault, "form">, string> = {
  calendar: "must be an existing date and time (no 24:00, no leap second, offsets up to 23:59)",
  years: "must lie in the years 0001 to 9999, in UTC",
  rounding: "must be at most 9999-12-31T23:59:59.999Z after rounding up to a millisecond",
};

const DATE = String.raw`\d{4}-\d\d-\d\d`;
const TIME = String.raw`\d\d:\d\d(:\d\d(\.\d+)?)?`;

/** Hints for common mistakes; the first match applies. */
const HINTS: Hints = [
  [/^\d{9,11}(\.\d+)?$/, "Unix seconds are not accepted"],
  [/^\d{12,14}$/, "Unix milliseconds are not accepted"],
  [new RegExp(`^${DATE}$`), "the time of day is missing"],
  [new RegExp(`^${DATE}T${TIME} \\d\\d:\\d\\d$`), "encode the + of an offset as %2B in a URL"],
  [new RegExp(`^${DATE} `), "separate date and time by T"],
  [new RegExp(`^${DATE}T${TIME}$`), "the offset is missing: add Z for UTC, or an offset such as +01:00"],
  [new RegExp(`^${DATE}T${TIME}[+-]\\d\\d(\\d\\d)?$`), "write the offset as +01:00"],
  [/\[.*\]$/, "time zone names are not accepted"],
  [/\.\d{10,}(Z|[+-])/, "seconds have at most nine decimals"],
  [new RegExp(`^${DATE}T${TIME}([Zz]|[+-]\\d\\d:\\d\\d)$`, "i"), "T and Z must be upper case"],
  [/[a-z]{2}/i, "relative times are not accepted"],
];
