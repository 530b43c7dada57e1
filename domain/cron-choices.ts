import { capital, WEEKDAYS } from "./calendar-words.ts";

/** Rules that people choose in words: `M` and `H` stand for the minute and hour of a time of day. */
export const CRON_CHOICES: readonly { value: string; label: string }[] = [
  ...[5, 10, 15, 30].map((step) => ({ value: `*/${step} * * * *`, label: `every ${step} minutes` })),
  { value: "M * * * *", label: "every hour" },
  { value: "M H * * *", label: "every day" },
  { value: "M H * * 1-5", label: "every weekday" },
  ...[1, 2, 3, 4, 5, 6, 0].map((day) => ({ value: `M H * * ${day}`, label: `every ${capital(WEEKDAYS[day])}` })),
  { value: "M H 1 * *", label: "on the 1st of the month" },
  { value: "M H L * *", label: "on the last day of the month" },
];

/** The rule of a choice at a time of day, `09:00`; of one without it where that is no time. */
export function writeCronChoice(value: string, time: string): string {
  const [, hour = "0", minute = "0"] = /^(\d\d?):(\d\d)/.exec(time) ?? [];
  return value.replace("M", String(Number(minute))).replace("H", String(Number(hour)));
}

/** The choice that a rule stands for, and its time of day where it has one; null when no choice is the same. */
export function readCronChoice(cron: string): { value: string; time: string | null } | null {
  const fields = cron.trim().replace(/\s+/g, " ").split(" ");
  const [minute = "", hour = ""] = fields;
  const isNumber = (text: string, max: number) => /^\d\d?$/.test(text) && Number(text) <= max;
  const value = fields
    .map((text, at) => ((at === 0 && isNumber(text, 59)) || (at === 1 && isNumber(text, 23)) ? "MH"[at] : text))
    .join(" ");
  if (!CRON_CHOICES.some((choice) => choice.value === value)) return null;
  const two = (text: string) => text.padStart(2, "0");
  if (!value.startsWith("M")) return { value, time: null };
  return { value, time: `${value.startsWith("M H") ? two(hour) : "00"}:${two(minute)}` };
}
