import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DURATION_MS_MAX, describeDurationProblem, parseDuration, writeDuration } from "#domain/duration.ts";
import { countRunTime } from "#tests/helpers/run-time.ts";

const FORM = 'must be a duration, such as "90s", "1h30m" or "PT90M"';

describe("a duration", () => {
  it.each([
    ["90s", 90_000],
    ["1m30s", 90_000],
    ["PT90S", 90_000],
    ["PT1M30S", 90_000],
    ["1h30m", 5_400_000],
    ["PT90M", 5_400_000],
    ["PT1H30M", 5_400_000],
    ["1.5h", 5_400_000],
    ["PT1.5H", 5_400_000],
    ["1h0m0s", 3_600_000],
    ["2d", 172_800_000],
    ["P2D", 172_800_000],
    ["P1W", 604_800_000],
    ["1w2d3h4m5s", 788_645_000],
    ["P1DT12H", 129_600_000],
    ["1s", 1_000],
    ["0.1h", 360_000],
    ["1.0005s", 1_001],
    ["1.000000001s", 1_001],
    ["365250d", DURATION_MS_MAX],
  ])("%s is %d ms", (text, ms) => expect(parseDuration(text)).toBe(ms));

  it.each([
    ["", FORM],
    ["soon", FORM],
    ["P", FORM],
    ["PT", FORM],
    ["P1D T1H", `${FORM}; leave out spaces`],
    ["90", `${FORM}; the unit is missing: write 90s for 90 seconds`],
    ["1.5", `${FORM}; the unit is missing: write 90s for 90 seconds`],
    ["-90s", `${FORM}; it counts from now on`],
    ["1500ms", `${FORM}; write milliseconds as a fraction of seconds, such as 1.5s`],
    ["P1M", `${FORM}; years and months have no fixed length`],
    ["P1Y2M", `${FORM}; years and months have no fixed length`],
    ["P1H", `${FORM}; T stands before hours, minutes and seconds`],
    ["1h 30m", `${FORM}; leave out spaces`],
    ["in5m", `${FORM}; leave out what comes before the number`],
    ["+5m", `${FORM}; leave out what comes before the number`],
    ["PT1,5H", `${FORM}; write fractions with a point`],
    ["90S", `${FORM}; w, d, h, m and s must be lower case`],
    ["pt90m", `${FORM}; P, T and units must be upper case`],
    ["PT90m", `${FORM}; P, T and units must be upper case`],
    ["30m1h", `${FORM}; name each unit once, the largest first, with decimals in the last number only`],
    ["1m1m", `${FORM}; name each unit once, the largest first, with decimals in the last number only`],
    ["1.5h30m", `${FORM}; name each unit once, the largest first, with decimals in the last number only`],
    ["90sec", `${FORM}; the units are w, d, h, m and s`],
    ["1.0000000001s", `${FORM}; a number has at most nine decimals`],
    ["٣s", FORM],
    ["90s\n", FORM],
    ["0s", "must be at least 1 second"],
    ["0.999s", "must be at least 1 second"],
    ["PT0S", "must be at least 1 second"],
    ["365250d1s", "must be at most 365250 days"],
    ["999999999999w", "must be at most 365250 days"],
  ])("is not %j, and the message says why", (text, message) => {
    expect(parseDuration(text)).toBeNull();
    expect(describeDurationProblem(text)).toBe(message);
  });

  it("is written so that it is read as the same", () => {
    expect(writeDuration(5_400_000)).toBe("1h30m");
    expect(writeDuration(3_601_001)).toBe("1h1.001s");
    fc.assert(
      fc.property(fc.integer({ min: 1_000, max: DURATION_MS_MAX }), (ms) => {
        expect(parseDuration(writeDuration(ms))).toBe(ms);
      }),
    );
  });

  it("of 400,000 characters is judged within a second", () => {
    for (const text of [
      "1h".repeat(200_000),
      "9".repeat(400_000),
      `P${"1".repeat(400_000)}`,
      `${"1.".repeat(200_000)}s`,
    ]) {
      const ranMs = countRunTime();
      expect(describeDurationProblem(text).startsWith(FORM)).toBe(true);
      expect(ranMs()).toBeLessThan(1_000);
    }
  });
});
