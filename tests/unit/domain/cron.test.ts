import { describe, expect, it } from "vitest";
import { parseCron } from "#domain/cron.ts";
import { recurrenceSpacing } from "#domain/recurrence-spacing.ts";
import { ruleInWords } from "#domain/rule-in-words.ts";

function ruleOf(cron: string) {
  const parsed = parseCron(cron);
  if (!parsed.ok) throw new Error(`${cron}: ${parsed.fault.message}`);
  return parsed.rule;
}

describe("a cron rule", () => {
  it.each([
    ["0 9 * * 1-5", "every weekday at 09:00"],
    ["0 9 * * MON-FRI", "every weekday at 09:00"],
    ["0 9 * * fri-sun", "every Friday, Saturday and Sunday at 09:00"],
    ["* * * * *", "every minute"],
    ["*/15 * * * *", "every 15 minutes"],
    ["*/45 * * * *", "at minutes 0 and 45 of every hour"],
    ["*/15 9-17 * * 1-5", "every 15 minutes from 09:00 to 17:45, every weekday"],
    ["0 9-17 * * *", "every hour from 09:00 to 17:00"],
    ["5 * * * *", "every hour at :05"],
    ["0 */2 * * *", "every 2 hours"],
    ["0 9,12,18 * * *", "every day at 09:00, 12:00 and 18:00"],
    ["30 18 L * *", "on the last day of the month at 18:30"],
    ["0 9 1,15,22,3 * *", "on the 1st, 3rd, 15th and 22nd of the month at 09:00"],
    ["0 9 * * 5#2", "on the second Friday of the month at 09:00"],
    ["0 9 * * 5L,1", "every Monday and on the last Friday of the month at 09:00"],
    ["0 9 1 * 1", "on the 1st of the month and every Monday at 09:00"],
    ["0 9 */1 * 1", "every Monday at 09:00"],
    ["0 9 1 JAN,7 *", "on the 1st of January and July at 09:00"],
    ["0 9 * 6 1-5", "every weekday in June at 09:00"],
    ["@hourly", "every hour"],
    ["@daily", "every day at 00:00"],
    ["@Weekly", "every Sunday at 00:00"],
    ["@monthly", "on the 1st of the month at 00:00"],
    ["@yearly", "on the 1st of January at 00:00"],
  ])("%s is said as: %s", (cron, words) => {
    expect(ruleInWords(ruleOf(cron))).toBe(words);
  });

  it.each([
    ["* * * * *", 1, 43_800],
    ["0,50 * * * *", 10, 1_460],
    ["0 9 * * 1-5", 1_440, 22],
    ["0 0,23 * * *", 60, 61],
    // Monday at 23:00 is not followed by Tuesday at 00:00.
    ["0 0,23 * * 1", 1_380, 9],
  ])("%s comes at least %i minutes apart, and some %i times a month", (cron, minutes, monthly) => {
    const spacing = recurrenceSpacing(ruleOf(cron), Date.parse("2026-01-01"));
    expect(spacing).toEqual({ shortestMs: minutes * 60_000, monthly });
  });

  it.each([
    ["0 0 9 * * 1", null, 1, /has 6 fields, but there are no seconds/],
    ["0 0 9 1 * MON 2031", null, 11, /has 7 fields/],
    ["0 9 * *", null, 1, /has 4 of five fields: write minute, hour, day, month and weekday/],
    [" ", null, 1, /is empty/],
    ["0 9 31 2 *", "day", 5, /never fires: month 2 has no day 31/],
    ["0 9 31 4,6,feb *", "day", 5, /never fires/],
    ["5/15 * * * *", "minute", 2, /a step stands behind \* or a range, such as \*\/15/],
    ["0 /2 * * *", "hour", 3, /a step stands behind/],
    ["0 8-18/ * * *", "hour", 7, /a step stands behind/],
    ["0 1-5/2/2 * * *", "hour", 8, /at most one step/],
    ["*/0 * * * *", "minute", 3, /a step is 1 to 60/],
    ["*/61 * * * *", "minute", 3, /a step is 1 to 60/],
    ["0 9,24 * * *", "hour", 5, /a value is 0 to 23/],
    ["0 9 0 * *", "day", 5, /a value is 1 to 31/],
    ["0 9 * 13 *", "month", 7, /a value is 1 to 12, or JAN to DEC/],
    ["0 9 * * 8", "weekday", 9, /a value is 0 to 7, or SUN to SAT/],
    ["0 9 * * Tuesday", "weekday", 9, /SUN to SAT/],
    ["0 22-2 * * *", "hour", 3, /goes backwards: split it, such as 22-23,0-2/],
    ["0 9 * * 1,,2", "weekday", 11, /missing beside the comma/],
    ["0 9 * * 5#6", "weekday", 11, /behind # stands 1 to 5/],
    ["0 9 * * L", "weekday", 9, /L stands alone as the day/],
    ["0 9 15W * *", "day", 7, /W .* is not accepted/],
    ["0 9 ? * 1", "day", 5, /write \*/],
    ["H 9 * * *", "minute", 1, /H is not accepted/],
    ["@reboot", null, 1, /a name stands alone, and is one of @hourly/],
    ["@reboot /usr/bin/report", null, 1, /a name stands alone/],
    ["my secret is not a cron rule", null, 1, /^has 7 words, not five fields: write minute/],
    ["@every 5m", null, 1, /write a step/],
    ["0 9 * * 1-5 curl https://example.com/hook", null, 13, /a command: paste only 0 9 \* \* 1-5$/],
    ["0 9 * * 1 root /usr/bin/report", null, 11, /a command: paste only 0 9 \* \* 1$/],
    ["@daily /usr/bin/report", null, 1, /a command: paste only @daily$/],
    ["CRON_TZ=Europe/Berlin 0 9 * * *", null, 1, /belongs into timezone/],
    [`0 ${"9,".repeat(200)}9 * * *`, null, 1, /at most 255 characters/],
  ])("%s is refused, with the place", (cron, field, position, message) => {
    const parsed = parseCron(cron);
    expect(parsed).toMatchObject({ ok: false, fault: { field, position } });
    expect(!parsed.ok && parsed.fault.message).toMatch(message);
  });
});
