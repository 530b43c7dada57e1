import { describeFormProblem, type Hints } from "./form-problem.ts";
import { type LocalTimeFault, readLocalTime } from "./local-time.ts";

/** The error message for a text that `readLocalTime` rejects. Does not quote the text. */
export function describeLocalTimeProblem(text: string): string {
  const read = readLocalTime(text);
  if (typeof read === "string" && read !== "form") return FAULTS[read];
  return describeFormProblem(FORM, HINTS, text);
}

const FORM = "must be a date and a time of day without an offset, such as 2031-01-01T09:00";

const FAULTS: Record<Exclude<LocalTimeFault, "form">, string> = {
  calendar: "must be an existing date and time (no 24:00, no leap second)",
  years: "must lie in the years 1970 to 9999",
};

const DATE = String.raw`\d{4}-\d\d-\d\d`;
const TIME = String.raw`\d\d:\d\d(:\d\d(\.\d+)?)?`;

/** Hints for common mistakes; the first match applies. */
const HINTS: Hints = [
  [/\[.*\]$/, "the zone belongs into timezone"],
  [new RegExp(`^${DATE}[Tt ]${TIME} ?([Zz]|[+-]\\d\\d(:?\\d\\d)?)$`), "leave the offset out, or use fireAt"],
  [new RegExp(`^${DATE}$`), "the time of day is missing"],
  [new RegExp(`^${DATE}[ t]`), "separate date and time by T"],
  [new RegExp(`^${DATE}T\\d\\d:\\d\\d:\\d\\d\\.\\d{10,}$`), "seconds have at most nine decimals"],
];
