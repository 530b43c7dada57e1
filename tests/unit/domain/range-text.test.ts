import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RangeClock } from "#domain/range-point.ts";
import { readRange } from "#domain/range-text.ts";
import { writeRange } from "#domain/write-range.ts";

// A Friday.
const NOW = "2026-03-27T14:34:48.250Z";
const clock: RangeClock = { nowMs: Date.parse(NOW), zone: "UTC", lean: "past" };

function read(text: string, given: Partial<RangeClock> = {}) {
  const range = readRange(text, { ...clock, ...given });
  if (!range.ok) return range.message;
  return [range.fromMs, range.toMs].map((ms) =>
    ms === null ? null : new Date(ms).toISOString().replace(":00.000Z", "Z"),
  );
}

describe("a range in words", () => {
  it.each([
    ["today", "2026-03-27T00:00Z", "2026-03-28T00:00Z"],
    ["Yesterday", "2026-03-26T00:00Z", "2026-03-27T00:00Z"],
    ["last night", "2026-03-26T18:00Z", "2026-03-27T06:00Z"],
    ["tonight", "2026-03-27T18:00Z", "2026-03-28T06:00Z"],
    ["this morning", "2026-03-27T06:00Z", "2026-03-27T12:00Z"],
    ["yesterday evening", "2026-03-26T18:00Z", "2026-03-27T00:00Z"],
    ["last 7 days", "2026-03-20T14:34:48.250Z", NOW],
    ["7d", "2026-03-20T14:34:48.250Z", NOW],
    ["last hour", "2026-03-27T13:34:48.250Z", NOW],
    ["past 90 min", "2026-03-27T13:04:48.250Z", NOW],
    ["next 2 hours", NOW, "2026-03-27T16:34:48.250Z"],
    ["this week", "2026-03-23T00:00Z", "2026-03-30T00:00Z"],
    ["last week", "2026-03-16T00:00Z", "2026-03-23T00:00Z"],
    ["this month", "2026-03-01T00:00Z", "2026-04-01T00:00Z"],
    ["last month", "2026-02-01T00:00Z", "2026-03-01T00:00Z"],
    ["next month", "2026-04-01T00:00Z", "2026-05-01T00:00Z"],
    ["December", "2025-12-01T00:00Z", "2026-01-01T00:00Z"],
    ["Mar 2026", "2026-03-01T00:00Z", "2026-04-01T00:00Z"],
    ["Monday", "2026-03-23T00:00Z", "2026-03-24T00:00Z"],
    ["Monday 09:00 to 17:00", "2026-03-23T09:00Z", "2026-03-23T17:00Z"],
    ["yesterday 22:00 to 06:00", "2026-03-26T22:00Z", "2026-03-27T06:00Z"],
    ["09:00–10:00", "2026-03-27T09:00Z", "2026-03-27T10:00Z"],
    ["from 9am to noon", "2026-03-27T09:00Z", "2026-03-27T12:00Z"],
    ["1 Mar to 7 Mar", "2026-03-01T00:00Z", "2026-03-08T00:00Z"],
    ["30 Mar", "2025-03-30T00:00Z", "2025-03-31T00:00Z"],
    ["2026-03-27 09:00 to 2026-03-27 09:30:15", "2026-03-27T09:00Z", "2026-03-27T09:30:15.000Z"],
    ["2026-03-27T09:00 to now", "2026-03-27T09:00Z", NOW],
    ["2026-03-27T09:00:00Z..2026-03-27T12:00:00+02:00", "2026-03-27T09:00Z", "2026-03-27T10:00Z"],
    ["since Monday", "2026-03-23T00:00Z", null],
    ["before 27 Mar 09:00", null, "2026-03-27T09:00Z"],
    ["until yesterday", null, "2026-03-27T00:00Z"],
  ])("%s", (text, from, to) => {
    expect(read(text)).toEqual([from, to]);
  });

  it("is of the zone, and of the future where a list looks ahead", () => {
    expect(read("yesterday", { zone: "Europe/Berlin" })).toEqual(["2026-03-25T23:00Z", "2026-03-26T23:00Z"]);
    // The clocks of Berlin go forward on 29 March, so that this day has 23 hours.
    expect(read("29 Mar 2026", { zone: "Europe/Berlin" })).toEqual(["2026-03-28T23:00Z", "2026-03-29T22:00Z"]);
    expect(read("Monday", { lean: "future" })).toEqual(["2026-03-30T00:00Z", "2026-03-31T00:00Z"]);
    expect(read("1 Mar", { lean: "future" })).toEqual(["2027-03-01T00:00Z", "2027-03-02T00:00Z"]);
  });

  it.each([
    "",
    "now",
    "soonish",
    "day",
    "week",
    "last",
    "31 Feb",
    "25:00 to 26:00",
    "last 7 apples",
    "last 0 days",
    "to",
    "1 Mar to",
  ])("%j is refused by one sentence and a way out", (text) => {
    expect(read(text)).toMatch(/^(This range is not understood\. Write|Name both ends of a range, such as) “/);
  });

  it("that ends before it begins is refused", () => {
    expect(read("27 Mar to 25 Mar")).toBe("The range ends before it begins.");
  });

  it("never throws, whatever is written", () => {
    fc.assert(fc.property(fc.string({ maxLength: 60, unit: "grapheme" }), (text) => void readRange(text, clock)));
  });
});

describe("a written range", () => {
  const write = (from: string | null, to: string | null, zone = "UTC") =>
    writeRange(
      { fromMs: from === null ? null : Date.parse(from), toMs: to === null ? null : Date.parse(to) },
      { ...clock, zone },
    );

  it.each([
    ["2026-03-26T00:00Z", "2026-03-27T00:00Z", "26 Mar"],
    ["2026-03-20T00:00Z", "2026-03-27T00:00Z", "20 Mar to 26 Mar"],
    ["2026-03-26T09:00Z", "2026-03-26T10:00Z", "26 Mar 09:00 to 10:00"],
    ["2026-03-26T22:00Z", "2026-03-27T06:00Z", "26 Mar 22:00 to 06:00"],
    ["2026-04-02T09:00Z", "2026-04-02T10:00Z", "2 Apr 2026 09:00 to 10:00"],
    ["2026-03-26T09:00:01Z", null, "since 26 Mar 09:00:01"],
    [null, "2026-03-26T00:00Z", "before 26 Mar"],
    [null, null, ""],
    ["2026-03-26T09:00:00.250Z", null, "since 2026-03-26T09:00:00.250Z"],
  ])("from %s to %s is “%s”", (from, to, text) => {
    expect(write(from, to)).toBe(text);
  });

  it("is read as the same instants, in every zone and on days when clocks change", () => {
    const ms = fc.integer({ min: Date.UTC(2025, 0), max: Date.UTC(2027, 11) }).map((at) => at - (at % 900_000));
    const zone = fc.constantFrom("UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe");
    fc.assert(
      fc.property(ms, ms, zone, fc.constantFrom("past", "future"), (a, b, inZone, lean) => {
        fc.pre(a !== b);
        const at: RangeClock = { ...clock, zone: inZone, lean: lean as "past" };
        const range = { fromMs: Math.min(a, b), toMs: Math.max(a, b) };
        expect(readRange(writeRange(range, at), at)).toEqual({ ok: true, ...range });
      }),
    );
  });
});
