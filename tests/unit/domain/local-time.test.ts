import { describe, expect, it } from "vitest";
import { parseLocalTime, readLocalTime, writeLocalTime } from "#domain/local-time.ts";
import { describeLocalTimeProblem } from "#domain/local-time-problem.ts";

const FORM = "must be a date and a time of day without an offset, such as 2031-01-01T09:00";

describe("a local time", () => {
  it.each([
    ["2031-01-01T09:00", "2031-01-01T09:00:00", 0],
    ["2031-01-01T09:00:07", "2031-01-01T09:00:07", 0],
    ["2031-01-01T09:00:07.25", "2031-01-01T09:00:07", 250],
    ["2031-01-01T09:00:07.000000001", "2031-01-01T09:00:07", 1],
    ["2031-01-01T09:00:07.9999", "2031-01-01T09:00:07", 1_000],
    ["2028-02-29T00:00", "2028-02-29T00:00:00", 0],
  ])("is %s, its fraction rounded up to a millisecond", (text, written, ms) => {
    const read = readLocalTime(text);
    if (typeof read === "string") throw new Error(read);
    expect([writeLocalTime(read.local), read.ms]).toEqual([written, ms]);
  });

  it.each([
    ["", FORM],
    ["tomorrow", FORM],
    ["2031-01-01", `${FORM}; the time of day is missing`],
    ["2031-01-01T09:00Z", `${FORM}; leave the offset out, or use fireAt`],
    ["2031-01-01T09:00:00+01:00", `${FORM}; leave the offset out, or use fireAt`],
    ["2031-01-01T09:00:00 +0100", `${FORM}; leave the offset out, or use fireAt`],
    ["2031-01-01T09:00[Europe/Berlin]", `${FORM}; the zone belongs into timezone`],
    ["2031-01-01T09:00+01:00[Europe/Berlin]", `${FORM}; the zone belongs into timezone`],
    ["2031-01-01 09:00", `${FORM}; separate date and time by T`],
    ["2031-01-01t09:00", `${FORM}; separate date and time by T`],
    ["2031-01-01T09:00:00.0123456789", `${FORM}; seconds have at most nine decimals`],
    ["2031-1-1T9:00", FORM],
    ["2031-02-30T09:00", "must be an existing date and time (no 24:00, no leap second)"],
    ["2027-02-29T09:00", "must be an existing date and time (no 24:00, no leap second)"],
    ["2031-02-28T24:00", "must be an existing date and time (no 24:00, no leap second)"],
    ["2031-06-30T23:59:60", "must be an existing date and time (no 24:00, no leap second)"],
    ["1969-12-31T23:59", "must lie in the years 1970 to 9999"],
  ])("is not %j, and the message says why", (text, message) => {
    expect(readLocalTime(text)).toEqual(expect.any(String));
    expect(describeLocalTimeProblem(text)).toBe(message);
  });

  it("is read from an input element without a fraction", () => {
    expect(writeLocalTime(parseLocalTime("2026-02-28T09:00:07") as never)).toBe("2026-02-28T09:00:07");
    for (const text of ["2026-02-30T09:00", "2026-02-28 09:00", "2026-02-28T09:00Z", "2026-02-28T09:00:00.5", ""]) {
      expect(parseLocalTime(text), text).toBeNull();
    }
  });
});
