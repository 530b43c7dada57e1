import { describe, expect, it } from "vitest";
import { writeLocalTime } from "#domain/local-time.ts";
import { readWhen } from "#domain/when-text.ts";

// A Friday; 15:32:07 in Berlin.
const NOW_MS = Date.parse("2026-03-27T14:32:07Z");

function read(text: string, zone = "Europe/Berlin"): string | null {
  const when = readWhen(text, { nowMs: NOW_MS, zone });
  if (when.kind === "fault") return null;
  if (when.kind === "wait") return new Date(NOW_MS + when.ms).toISOString();
  return when.kind === "instant" ? new Date(when.epochMs).toISOString() : writeLocalTime(when.local);
}

describe("a text that says when", () => {
  it.each([
    ["in 30m", "2026-03-27T15:02:07.000Z"],
    ["In 30 Minutes", "2026-03-27T15:02:07.000Z"],
    ["+5m", "2026-03-27T14:37:07.000Z"],
    ["+ 1 h", "2026-03-27T15:32:07.000Z"],
    ["in 1h 30m", "2026-03-27T16:02:07.000Z"],
    ["in 1 hour and 30 minutes", "2026-03-27T16:02:07.000Z"],
    ["90 seconds", "2026-03-27T14:33:37.000Z"],
    ["in 2 days", "2026-03-29T14:32:07.000Z"],
    ["1w", "2026-04-03T14:32:07.000Z"],
    ["PT90M", "2026-03-27T16:02:07.000Z"],
    ["1.5h", "2026-03-27T16:02:07.000Z"],
    ["in an hour", "2026-03-27T15:32:07.000Z"],
    ["In One Hour", "2026-03-27T15:32:07.000Z"],
    ["an hour from now", "2026-03-27T15:32:07.000Z"],
    ["in a minute", "2026-03-27T14:33:07.000Z"],
    ["in half an hour", "2026-03-27T15:02:07.000Z"],
    ["half a day", "2026-03-28T02:32:07.000Z"],
    ["in a quarter of an hour", "2026-03-27T14:47:07.000Z"],
    ["in an hour and a half", "2026-03-27T16:02:07.000Z"],
    ["in 2 and a half hours", "2026-03-27T17:02:07.000Z"],
    ["in 1.5 hours", "2026-03-27T16:02:07.000Z"],
    ["in 2 h 14 m", "2026-03-27T16:46:07.000Z"],
    ["in two days", "2026-03-29T14:32:07.000Z"],
    ["in a week", "2026-04-03T14:32:07.000Z"],
    ["Fri, 25 Dec 2026 08:00:00 GMT", "2026-12-25T08:00:00.000Z"],
    ["tomorrow 9am UTC", "2026-03-28T09:00:00.000Z"],
    ["2026-03-30T07:00:00Z", "2026-03-30T07:00:00.000Z"],
    ["2026-03-30T09:00:00.5+02:00", "2026-03-30T07:00:00.500Z"],
  ])("is an instant: %s", (text, expected) => expect(read(text)).toBe(expected));

  it.each([
    ["tomorrow 09:00", "2026-03-28T09:00:00"],
    ["tomorrow at 9am", "2026-03-28T09:00:00"],
    ["today 18:00:30", "2026-03-27T18:00:30"],
    ["Monday 09:00", "2026-03-30T09:00:00"],
    ["next mon 09:00", "2026-03-30T09:00:00"],
    ["next friday 16:00", "2026-04-03T16:00:00"],
    ["Next Fri, 23:59", "2026-04-03T23:59:00"],
    ["next friday at 9am", "2026-04-03T09:00:00"],
    ["29 feb 09:00", "2028-02-29T09:00:00"],
    ["Feb 29, 9 am", "2028-02-29T09:00:00"],
    ["friday 16:00", "2026-03-27T16:00:00"],
    ["friday 15:00", "2026-04-03T15:00:00"],
    ["16:00", "2026-03-27T16:00:00"],
    ["15:00", "2026-03-28T15:00:00"],
    ["12am", "2026-03-28T00:00:00"],
    ["9:30 pm", "2026-03-27T21:30:00"],
    ["1 Apr 09:00", "2026-04-01T09:00:00"],
    ["April 1st, 09:00", "2026-04-01T09:00:00"],
    ["1 Mar 09:00", "2027-03-01T09:00:00"],
    ["1 March 2028 09:00", "2028-03-01T09:00:00"],
    ["2026-03-30 09:00", "2026-03-30T09:00:00"],
    ["2026-03-30T09:00:01", "2026-03-30T09:00:01"],
    ["noon", "2026-03-28T12:00:00"],
    ["at midnight", "2026-03-28T00:00:00"],
    ["tomorrow noon", "2026-03-28T12:00:00"],
    ["noon tomorrow", "2026-03-28T12:00:00"],
    ["9am on Monday", "2026-03-30T09:00:00"],
    ["tomorrow morning", "2026-03-28T09:00:00"],
    ["tomorrow in the afternoon", "2026-03-28T15:00:00"],
    ["this evening", "2026-03-27T18:00:00"],
    ["in the morning", "2026-03-28T09:00:00"],
    ["tonight", "2026-03-27T20:00:00"],
    ["tonight at 10 p.m.", "2026-03-27T22:00:00"],
    ["tonight 01:30", "2026-03-28T01:30:00"],
    ["midnight tonight", "2026-03-28T00:00:00"],
    ["the day after tomorrow 09:00", "2026-03-29T09:00:00"],
    ["on Friday at 16:00", "2026-03-27T16:00:00"],
    ["25.12. 09:00", "2026-12-25T09:00:00"],
    ["1.3. 09:00", "2027-03-01T09:00:00"],
    ["25.12.2028 09:00", "2028-12-25T09:00:00"],
    ["25. 12. 28, 09:00", "2028-12-25T09:00:00"],
    ["29.2. 09:00", "2028-02-29T09:00:00"],
    ["12/25 9:30 pm", "2026-12-25T21:30:00"],
    ["25/12/2026 09:00", "2026-12-25T09:00:00"],
    ["4/4 09:00", "2026-04-04T09:00:00"],
    ["2026/12/25 9am", "2026-12-25T09:00:00"],
    ["2026-12-25 noon", "2026-12-25T12:00:00"],
    ["Fri 25 Dec 09:00", "2026-12-25T09:00:00"],
    ["Friday, 25.12. 09:00", "2026-12-25T09:00:00"],
    ["the 25th 09:00", "2026-04-25T09:00:00"],
    ["31st 09:00", "2026-03-31T09:00:00"],
    ["1st of April at noon", "2026-04-01T12:00:00"],
    ["end of month", "2026-03-31T23:59:00"],
    ["end of the month 18:00", "2026-03-31T18:00:00"],
    ["end of next month", "2026-04-30T23:59:00"],
    ["end of day", "2026-03-27T23:59:00"],
    ["end of the year", "2026-12-31T23:59:00"],
    ["start of next year", "2027-01-01T00:00:00"],
    ["last day of the month 17:00", "2026-03-31T17:00:00"],
    ["first of next month at 9am", "2026-04-01T09:00:00"],
  ])("is a local time of the zone: %s", (text, expected) => expect(read(text)).toBe(expected));

  it("refers to the current day of the zone, which may differ from that of UTC", () => {
    expect(read("tomorrow 09:00", "Pacific/Auckland")).toBe("2026-03-29T09:00:00");
    expect(read("today 09:00", "Pacific/Auckland")).toBe("2026-03-28T09:00:00");
  });

  it.each([
    ...["", "soon", "tomorrow", "monday", "in 5", "in 5 parsecs", "5", "1 april 9", "13pm", "25:00", "9:61"],
    ...["1M", "in 1  M", "P1M", "p1y", "1H 30M", "+5M", "1 month", "in 2 years", "31 june 09:00"],
    ...["30 feb 09:00", "1 apr", "apr 09:00", "m 09:00", "in 9999999999 days", "2026-02-30 09:00", "29 feb 2027 09:00"],
  ])("is rejected when it is ambiguous or unknown: %j", (text) => expect(read(text)).toBeNull());

  it.each([
    ["03/04 09:00", "“03/04” is 3 April or 4 March. Name the month."],
    ["5-1-2027 09:00", "“5-1” is 5 January or 1 May. Name the month."],
    ["Friday midnight", "This can be the start or the end of that day. Write “28 Mar 00:00” or “3 Apr 00:00”."],
    ["tomorrow midnight", "This can be the start or the end of that day. Write “28 Mar 00:00” or “29 Mar 00:00”."],
    ["end of week", "Weeks end on different days. Name the day, such as “Sunday 23:59”."],
    ["in a month", "Months and years have no fixed length. Name the day instead, such as “1 Apr 09:00”."],
    ["tomorrow at 9", "Write the time of day as “09:00” or “9am”."],
    ["Thu 25 Dec 09:00", "That day is a Friday."],
    ["31.6. 09:00", "The calendar has no such day, or the day no such time."],
    ["25.12.", "Name a time of day too, such as “25.12. 09:00”."],
    [
      "when it is done",
      "This time is not understood. Write “in 30m”, “tomorrow 09:00”, “Monday noon” or “25 Dec 09:00”.",
    ],
  ])("is refused with one sentence, with both readings where there are two: %s", (text, message) => {
    expect(readWhen(text, { nowMs: NOW_MS, zone: "Europe/Berlin" })).toEqual({ kind: "fault", message });
  });

  it("that is a duration is a wait, whatever this process takes for now", () => {
    expect(readWhen("in 90s", { nowMs: NOW_MS, zone: "UTC" })).toEqual({ kind: "wait", ms: 90_000 });
  });

  it("with a capital M is asked whether it means a minute or a month, but for ISO 8601", () => {
    expect(readWhen("in 1M", { nowMs: NOW_MS, zone: "UTC" })).toMatchObject({
      kind: "fault",
      message: expect.stringMatching(/^A minute or a month\?/),
    });
    expect(readWhen("PT1M", { nowMs: NOW_MS, zone: "UTC" })).toEqual({ kind: "wait", ms: 60_000 });
    expect(readWhen("IN 5 MIN", { nowMs: NOW_MS, zone: "UTC" })).toEqual({ kind: "wait", ms: 300_000 });
  });

  it("that names 29 February means the next one, over the turn of a century too", () => {
    const nowMs = Date.parse("2096-03-01T00:00:00Z");
    const when = readWhen("29 Feb 09:00", { nowMs, zone: "UTC" });
    expect(when.kind === "local" && writeLocalTime(when.local)).toBe("2104-02-29T09:00:00");
  });

  it("that names only a day is rejected with a request for the time of day", () => {
    expect(readWhen("Tomorrow", { nowMs: NOW_MS, zone: "UTC" })).toEqual({
      kind: "fault",
      message: "Name a time of day too, such as “tomorrow 09:00”.",
    });
  });

  it("is rejected when only Unicode case folding makes it a known word", () => {
    expect(readWhen("in 2 weeKS", { nowMs: NOW_MS, zone: "UTC" }).kind).toBe("wait");
    expect(readWhen("in 2 wee\u212As", { nowMs: NOW_MS, zone: "UTC" }).kind).toBe("fault");
  });
});
