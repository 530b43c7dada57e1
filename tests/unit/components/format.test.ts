import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatDuration, formatRelative } from "#components/format/duration.ts";
import { formatClock, formatDay, formatInstant } from "#components/format/instant.ts";
import { formatBytes, formatCount, formatPercent } from "#components/format/number.ts";
import { formatOffset, formatTaken, offsetParts } from "#components/format/offset.ts";

describe("a lateness of", () => {
  it.each([
    [0, "0 ms"],
    [-0, "0 ms"],
    [0.4, "0 ms"],
    [4, "+4 ms"],
    [-18, "−18 ms"],
    [999.4, "+999 ms"],
    [999.6, "+1.00 s"],
    [1_244, "+1.24 s"],
    [9_994, "+9.99 s"],
    [9_995, "+10.0 s"],
    [-12_340, "−12.3 s"],
    [59_949, "+59.9 s"],
    [61_000, "+1 m 1 s"],
    [59_999, "+60.0 s"],
    [60_000, "+1 m"],
    [252_000, "+4 m 12 s"],
    [7_200_000, "+2 h"],
  ])("%d ms is written as %s", (ms, words) => {
    expect(formatOffset(ms)).toBe(words);
  });

  it("any size has its sign, and zero has none", () => {
    fc.assert(
      fc.property(fc.integer({ min: -3_000_000_000, max: 3_000_000_000 }), (ms) => {
        expect(offsetParts(ms).sign).toBe(ms > 0 ? "+" : ms < 0 ? "−" : "");
        expect(formatOffset(-ms).replace(/^[+−]/, "")).toBe(formatOffset(ms).replace(/^[+−]/, ""));
      }),
    );
  });
});

it("what took seconds or minutes is not given in milliseconds", () => {
  expect([0, 84, 1_240, 29_997, 90_000, 86_400_000].map(formatTaken)).toEqual([
    "0 ms",
    "84 ms",
    "1.24 s",
    "30.0 s",
    "1 m 30 s",
    "1 d",
  ]);
});

describe("a duration of", () => {
  it.each([
    [0, "0 s"],
    [999, "0 s"],
    [16_000, "16 s"],
    [161_900, "2 m 41 s"],
    [120_000, "2 m"],
    [3_600_000, "1 h"],
    [3_661_000, "1 h 1 m"],
    [3_605_000, "1 h"],
    [90_000_000, "1 d 1 h"],
    [-5, "0 s"],
  ])("%d ms is written as %s", (ms, words) => {
    expect(formatDuration(ms)).toBe(words);
  });
});

describe("an instant", () => {
  const now = new Date("2026-03-27T14:32:07.000Z");
  it.each([
    [0, "now"],
    [-999, "now"],
    [-16_000, "16 s ago"],
    [-90_000, "1 m ago"],
    [-172_800_000, "2 d ago"],
    [161_000, "in 2 m 41 s"],
    [301_000, "in 5 m"],
    [5_400_000, "in 1 h 30 m"],
  ])("%d ms from now is written as %s", (ms, words) => {
    expect(formatRelative(new Date(now.getTime() + ms), now)).toBe(words);
  });

  it("is written in full in UTC or in a time zone, before and after a change between summer and winter time", () => {
    expect(formatInstant(now)).toBe("27 March 2026, 14:32:07.000 UTC");
    expect(formatInstant(now, "Europe/Berlin")).toBe("27 March 2026, 15:32:07.000 Europe/Berlin");
    expect(formatClock(new Date("2026-03-29T00:59:59.999Z"), "Europe/Berlin")).toBe("01:59:59.999");
    expect(formatClock(new Date("2026-03-29T01:00:00.000Z"), "Europe/Berlin")).toBe("03:00:00.000");
    expect(formatClock(new Date("2026-10-25T00:30:00.000Z"), "Europe/Berlin")).toBe("02:30:00.000");
    expect(formatClock(new Date("2026-10-25T01:30:00.000Z"), "Europe/Berlin")).toBe("02:30:00.000");
    expect(formatDay(new Date("2026-12-31T23:30:00.000Z"), "Asia/Tokyo")).toBe("1 January 2027");
    expect(formatClock(new Date("2026-01-01T00:00:00.000Z"))).toBe("00:00:00.000");
  });

  it("is refused in a time zone that does not exist", () => {
    expect(() => formatInstant(now, "Mars/Olympus")).toThrow(RangeError);
  });
});

describe("a number", () => {
  it("is written with its thousands separated", () => {
    expect([0, 999, 12_408, 1_000_000].map(formatCount)).toEqual(["0", "999", "12,408", "1,000,000"]);
  });

  it.each([
    [0, "0"],
    [1, "100"],
    [0.5, "50"],
    [0.2999, "29.99"],
    [0.99999, "99.99"],
    [0.999_999_999_999, "99.99"],
    [1 / 3, "33.33"],
  ])("%d is written as the share %s %%", (share, words) => {
    expect(formatPercent(share)).toBe(words);
  });

  it("is written as the share 100 % only when nothing is missing", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000_000 }), fc.nat(), (all, some) => {
        const part = some % (all + 1);
        expect(formatPercent(part / all) === "100").toBe(part === all);
      }),
    );
  });

  it.each([
    [312, "312 B"],
    [1_023, "1,023 B"],
    [51_200, "50 KiB"],
    [262_144, "256 KiB"],
    [1_572_864, "1.5 MiB"],
  ])("of %d bytes is written as %s", (bytes, words) => {
    expect(formatBytes(bytes)).toBe(words);
  });
});
