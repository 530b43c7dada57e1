import { describe, expect, it } from "vitest";
import { chooseTime, type TypedTime, timeOf } from "#domain/chosen-time.ts";

const NOW_MS = Date.parse("2026-03-27T14:32:07.250Z");

function choose(typed: Partial<TypedTime>) {
  return chooseTime({ words: "", at: "", zone: "Europe/Berlin", occurrence: "first", ...typed }, NOW_MS);
}

const instant = (iso: string) => ({ ok: true, epochMs: Date.parse(iso) });

describe("a time that was typed", () => {
  it("is its date and time in the zone, and the words win when both are given", () => {
    expect(choose({ at: "2026-03-30T09:00:00" })).toMatchObject(instant("2026-03-30T07:00:00Z"));
    expect(choose({ at: "2026-03-30T09:00", words: "in 5m" })).toMatchObject(instant("2026-03-27T14:37:08.000Z"));
    expect(choose({ words: "tomorrow 09:00", zone: "utc" })).toMatchObject(instant("2026-03-28T09:00:00Z"));
  });

  it("may have a space between date and time, and a wait ends on a whole second, never before it was meant to", () => {
    expect(choose({ at: " 2026-03-30 09:00" })).toMatchObject(instant("2026-03-30T07:00:00Z"));
    for (const at of ["2026/03/30 09:00", "2026.03.30 9am", "2026/03/30T09:00", "30 Mar 9am"])
      expect(choose({ at }), at).toMatchObject(instant("2026-03-30T07:00:00Z"));
    expect(choose({ at: "noon" })).toMatchObject(choose({ words: "12 noon" }));
    expect(choose({ at: "in 1.5 hours" })).toMatchObject(choose({ words: "in an hour and a half" }));
    expect(choose({ at: "in 0.5 s" })).toMatchObject({ ok: false, field: "at" });
    for (const blank of ["", " ", "\t"])
      expect(choose({ words: blank, at: blank })).toMatchObject({
        ok: false,
        message: expect.stringMatching(/^Say when/),
      });
    expect(choose({ words: "in 1s" })).toMatchObject({ ...instant("2026-03-27T14:32:09.000Z"), waitMs: 1_000 });
    expect(choose({ words: "in 750m" })).toMatchObject(instant("2026-03-28T03:02:08.000Z"));
  });

  it("that clocks show twice is the chosen one of both instants", () => {
    const at = "2026-10-25T02:30:00";
    expect(choose({ at })).toMatchObject({ ...instant("2026-10-25T00:30:00Z"), typed: { zoned: { kind: "overlap" } } });
    expect(choose({ at, occurrence: "second" })).toMatchObject(instant("2026-10-25T01:30:00Z"));
  });

  it("that clocks skip is as long after their change, and is marked as a gap", () => {
    expect(choose({ at: "2026-03-29T02:30:00" })).toMatchObject({
      ...instant("2026-03-29T01:30:00Z"),
      typed: { zoned: { kind: "gap" } },
    });
  });

  it.each([
    [{}, "words"],
    [{ words: "soon" }, "words"],
    [{ at: "2026-02-30T09:00" }, "at"],
    [{ words: "in 5m", zone: "Berlin/Europe" }, "zone"],
    [{ words: "in 999999999 weeks" }, "words"],
    [{ words: "in 999999 weeks" }, "words"],
  ] as const)("that is invalid names the field with the error: %j", (typed, field) => {
    expect(choose(typed)).toMatchObject({ ok: false, field });
  });

  it.each(["2026-03-30T07:00:00.000Z", "2026-03-30T07:00:00.250Z", "2026-10-25T00:30:00.000Z"])(
    "is written so that it means the same instant again: %s",
    (iso) => {
      expect(chooseTime(timeOf(new Date(iso), "Europe/Berlin"), NOW_MS)).toMatchObject(instant(iso));
    },
  );

  it("keeps its occurrence when clocks show it twice", () => {
    const second = "2026-10-25T01:30:00.000Z";
    expect(chooseTime(timeOf(new Date(second), "Europe/Berlin"), NOW_MS)).toMatchObject(instant(second));
  });
});
