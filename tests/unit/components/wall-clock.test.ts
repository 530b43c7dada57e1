import { describe, expect, it } from "vitest";
import { dayStart, instantOfWallClock, wallClockOf } from "#components/format/wall-clock.ts";

const iso = (text: string, zone: string) => instantOfWallClock(text, zone)?.toISOString();

describe("what clocks in a zone show", () => {
  it.each([
    ["2026-03-27T14:34", "UTC", "2026-03-27T14:34:00.000Z"],
    ["2026-03-27T14:34:05", "UTC", "2026-03-27T14:34:05.000Z"],
    ["2026-03-27T14:34", "Europe/Berlin", "2026-03-27T13:34:00.000Z"],
    ["2026-07-01T00:00", "America/New_York", "2026-07-01T04:00:00.000Z"],
    ["2026-07-01T00:00", "Asia/Kolkata", "2026-06-30T18:30:00.000Z"],
    ["2026-12-31T23:59", "Pacific/Kiritimati", "2026-12-31T09:59:00.000Z"],
  ])("at %s in %s is the instant %s, and back", (text, zone, at) => {
    expect(iso(text, zone)).toBe(at);
    expect(wallClockOf(new Date(at), zone)).toBe(text.slice(0, 16));
  });

  it("twice, when they are put back, is the first of the two instants", () => {
    expect(iso("2026-10-25T02:30", "Europe/Berlin")).toBe("2026-10-25T00:30:00.000Z");
  });

  it("never, when they are put forward, is the instant as if they had not been", () => {
    expect(iso("2026-03-29T02:30", "Europe/Berlin")).toBe("2026-03-29T01:30:00.000Z");
  });

  it.each(["", "today", "2026-03-27", "2026-13-01T00:00", "2026-03-27T14:34Z"])("is nothing for %j", (text) => {
    expect(instantOfWallClock(text, "UTC")).toBeNull();
  });

  it("as midnight begins a day, also one with 23 hours", () => {
    expect(dayStart(new Date("2026-03-29T10:00:00Z"), "Europe/Berlin").toISOString()).toBe("2026-03-28T23:00:00.000Z");
    expect(dayStart(new Date("2026-03-30T10:00:00Z"), "Europe/Berlin").toISOString()).toBe("2026-03-29T22:00:00.000Z");
  });
});
