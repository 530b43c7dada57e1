import { describe, expect, it } from "vitest";
import { parseCron } from "#domain/cron.ts";
import { CRON_CHOICES, readCronChoice, writeCronChoice } from "#domain/cron-choices.ts";
import { ruleInWords } from "#domain/rule-in-words.ts";

describe("a rule in words", () => {
  it.each(CRON_CHOICES)("is written as a rule that says the same, and read again: $label", ({ value, label }) => {
    const cron = writeCronChoice(value, "17:05");
    const parsed = parseCron(cron);
    expect(parsed.ok && ruleInWords(parsed.rule).toLowerCase()).toContain(label.toLowerCase());
    const time = value.startsWith("M H") ? "17:05" : value.startsWith("M") ? "00:05" : null;
    expect(readCronChoice(cron)).toEqual({ value, time });
  });

  it.each(["0 9 * * 1,3", "0 9-17 * * 1-5", "0 24 * * *", "61 9 * * *", "@daily", "", "0 9 * *"])(
    "is none for %j",
    (cron) => {
      expect(readCronChoice(cron)).toBeNull();
    },
  );

  it("has a time of day whatever is typed", () => {
    expect(writeCronChoice("M H * * *", "")).toBe("0 0 * * *");
    expect(readCronChoice("  5   9 * * 1-5 ")).toEqual({ value: "M H * * 1-5", time: "09:05" });
  });
});
