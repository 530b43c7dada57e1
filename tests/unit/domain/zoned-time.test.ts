import { describe, expect, it } from "vitest";
import { parseLocalTime, writeLocalTime } from "#domain/local-time.ts";
import { findZone, formatUtcOffset, isZone, localTimeAt, offsetMsAt, resolveLocalTime } from "#domain/zoned-time.ts";

const HOUR_MS = 3_600_000;

function resolve(text: string, zone: string) {
  const local = parseLocalTime(text);
  if (local === null) throw new Error(`${text} is no local time`);
  return resolveLocalTime(local, zone);
}

describe("a local time", () => {
  it.each([
    ["2026-03-27T15:30:00", "Europe/Berlin", "2026-03-27T14:30:00.000Z"],
    ["2026-03-30T09:00", "Europe/Berlin", "2026-03-30T07:00:00.000Z"],
    ["2026-03-27T15:30:00", "UTC", "2026-03-27T15:30:00.000Z"],
    ["2026-01-01T00:00:00", "Asia/Kathmandu", "2025-12-31T18:15:00.000Z"],
    ["2026-07-01T12:00:00", "America/St_Johns", "2026-07-01T14:30:00.000Z"],
  ])("%s in %s is one instant: %s", (text, zone, instant) => {
    const zoned = resolve(text, zone);
    expect(zoned).toEqual({ kind: "once", epochMs: Date.parse(instant) });
  });

  it("that clocks skip is a gap, and means the instant as long after the change", () => {
    const zoned = resolve("2026-03-29T02:30:00", "Europe/Berlin");
    expect(zoned).toEqual({
      kind: "gap",
      epochMs: Date.parse("2026-03-29T01:30:00Z"),
      from: parseLocalTime("2026-03-29T02:00"),
      to: parseLocalTime("2026-03-29T03:00"),
    });
    expect(writeLocalTime(localTimeAt(Date.parse("2026-03-29T01:30:00Z"), "Europe/Berlin"))).toBe(
      "2026-03-29T03:30:00",
    );
  });

  it("just before and just after a gap is one instant", () => {
    expect(resolve("2026-03-29T01:59:59", "Europe/Berlin")).toEqual({
      kind: "once",
      epochMs: Date.parse("2026-03-29T00:59:59Z"),
    });
    expect(resolve("2026-03-29T03:00:00", "Europe/Berlin")).toEqual({
      kind: "once",
      epochMs: Date.parse("2026-03-29T01:00:00Z"),
    });
  });

  it("that clocks show twice when they go back is both instants, the earlier one first", () => {
    expect(resolve("2026-10-25T02:30:00", "Europe/Berlin")).toEqual({
      kind: "overlap",
      firstMs: Date.parse("2026-10-25T00:30:00Z"),
      secondMs: Date.parse("2026-10-25T01:30:00Z"),
    });
  });

  it("is resolved across a change of half an hour, and across a day that a zone skipped", () => {
    expect(resolve("2026-04-05T01:45:00", "Australia/Lord_Howe")).toMatchObject({ kind: "overlap" });
    expect(resolve("2011-12-30T12:00:00", "Pacific/Apia")).toMatchObject({
      kind: "gap",
      from: parseLocalTime("2011-12-30T00:00"),
      to: parseLocalTime("2011-12-31T00:00"),
    });
  });
});

describe("a zone", () => {
  it("is found in any letter case, and nothing else is one", () => {
    expect(findZone("europe/berlin ")).toBe("Europe/Berlin");
    expect(findZone("utc")).toBe("UTC");
    expect(findZone("Europe/Nowhere")).toBeNull();
    expect(findZone("")).toBeNull();
  });

  it.each(["Europe/Kyiv", "Europe/Kiev", "Asia/Kolkata", "Asia/Calcutta", "US/Eastern", "Etc/UTC", "GB"])(
    "keeps the name by which it was chosen: %s",
    (name) => expect(findZone(name)).toBe(name),
  );

  it.each(["UTC", "Etc/GMT+5", "EST", "PRC", "GB-Eire", "W-SU", "NZ-CHAT", "Zulu", "Asia/Rangoon", "europe/DUBLIN"])(
    "is what the IANA database names: %s",
    (name) => expect(isZone(name)).toBe(true),
  );

  it.each([
    ...[
      "",
      "Europe/Nowhere",
      "Berlin",
      " Europe/Berlin",
      "+01:00",
      "-0500",
      "01:00",
      "Z",
      "UTC+1",
      "GMT+1",
      "Etc/Unknown",
    ],
    // To ICU these are Bangladesh, Darwin, Jerusalem or Kolkata, and Los Angeles; and names of its own.
    ...["BST", "ACT", "IST", "PST", "bst", "SystemV/EST5", "A".repeat(60)],
  ])("is nothing else, however well ICU knows it: %j", (name) => expect(isZone(name)).toBe(false));

  it("has its offset from UTC at each instant, written as people write it", () => {
    expect(offsetMsAt(Date.parse("2026-03-27T14:30:00.999Z"), "Europe/Berlin")).toBe(HOUR_MS);
    expect(offsetMsAt(Date.parse("2026-03-30T14:30:00Z"), "Europe/Berlin")).toBe(2 * HOUR_MS);
    expect(formatUtcOffset(2 * HOUR_MS)).toBe("UTC+2");
    expect(formatUtcOffset(-3.5 * HOUR_MS)).toBe("UTC−3:30");
    expect(formatUtcOffset(0)).toBe("UTC");
  });
});
