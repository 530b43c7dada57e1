import { describe, expect, it } from "vitest";
import { parseKeyForOnce } from "../../../cli/src/input/key-for-once.ts";
import { parseLimit } from "../../../cli/src/input/limit.ts";
import { parseHeaders } from "../../../cli/src/input/parse-headers.ts";
import { parseTarget } from "../../../cli/src/input/parse-target.ts";
import { parseTime } from "../../../cli/src/input/parse-time.ts";
import { readPayload } from "../../../cli/src/input/payload.ts";
import { readScheduleIds } from "../../../cli/src/input/read-ids.ts";
import { parseFilter } from "../../../cli/src/input/schedule-filter.ts";
import type { Stopwatch } from "../../../sdk/src/index.ts";

const FUTURE = "2031-01-01T00:00:00Z";
const NOW = Date.parse("2026-11-26T12:00:00Z");
const noClient = (): Stopwatch => {
  throw new Error("the service was asked");
};
const payload = (options: Parameters<typeof readPayload>[0]) =>
  readPayload(options, noClient, new AbortController().signal);

/** Checks that each text is refused by a usage error that begins with the option and says this. */
function refuses<T>(
  parse: (given: T) => unknown,
  cases: readonly (readonly [what: string, given: T, problem: string])[],
) {
  it.each(cases)("refuses %s", async (_, given, problem) => {
    const refused = await (async () => parse(given))().catch((error: Error) => error);
    expect(refused).toMatchObject({ name: "UsageError", message: expect.stringContaining(problem) });
    expect((refused as Error).message.indexOf(problem)).toBe(0);
  });
}

describe("a time", () => {
  refuses(parseTime, [
    ["what is no duration", { in: "5x" }, '--in must be a duration, such as "90s"'],
    ["less than a second", { in: "0s" }, "--in must be at least 1 second"],
    ["a duration without its unit", { in: "90" }, "--in must be a duration"],
    ["a duration and a time", { in: "5m", at: FUTURE }, "--at must not stand beside --in"],
    ["a local time without its zone", { at: "2026-03-29T09:00" }, "--at needs an offset, or --tz"],
    ["an offset and a zone", { at: FUTURE, tz: "UTC" }, "--tz must not stand beside --at with an offset"],
    ["a rule for clocks with an offset", { at: FUTURE, onClockChange: "first" }, "--on-clock-change has no meaning"],
    ["a day that does not exist", { at: "2031-02-30T09:00:00Z" }, "--at must be an existing date"],
    ["a local day that does not exist", { at: "2031-02-30T09:00", tz: "UTC" }, "--at must be an existing date"],
    ["a date alone", { at: "2031-02-03", tz: "UTC" }, "--at must be a date and a time of day"],
    ["a zone without a time", { in: "5m", tz: "UTC" }, "--tz needs --at"],
    ["a rule for clocks without a time", { onClockChange: "first" }, "--on-clock-change needs --at"],
  ]);

  it("is what the API takes", () => {
    expect(parseTime({})).toBeUndefined();
    expect(parseTime({ in: "PT90M" })).toEqual({ fireIn: "PT90M" });
    expect(parseTime({ at: "2031-01-01T09:00:00.5+02:00" })).toEqual({ fireAt: "2031-01-01T09:00:00.5+02:00" });
    expect(parseTime({ at: "2031-03-30T02:30", tz: "Europe/Berlin", onClockChange: "refuse" })).toEqual({
      fireAtLocal: "2031-03-30T02:30",
      timezone: "Europe/Berlin",
      onClockChange: "refuse",
    });
  });
});

describe("a payload", () => {
  refuses(payload, [
    ["two of them", { json: "@f", payload: "x" }, "--payload must not stand beside --json"],
    ["what is no JSON", { json: "{a:1}" }, "--json must be JSON"],
    ["empty JSON", { json: "" }, "--json must be JSON"],
    [
      "a file that is not there",
      { json: "@/nowhere.json" },
      "--json names /nowhere.json, which cannot be read (ENOENT)",
    ],
    ["a folder", { payload: "@/" }, "--payload names /, which cannot be read (EISDIR)"],
    ["a file without a name", { payload: "@" }, "--payload names no file after @"],
    ["a header without a colon", { header: ["X-A"] }, "--header must be a name, a colon and a value"],
    ["a header without a name", { header: [": 1"] }, "--header must be a name, a colon and a value"],
    ["a header twice", { header: ["X-A: 1", "X-A: 2"] }, "--header names a header twice"],
    ["a header twice, in another case", { header: ["X-A: 1", "x-a: 2"] }, "--header x-a is given twice"],
    ["a header of the service", { header: ["host: a"] }, "--header host is reserved"],
    ["a header with a line break", { header: ["X-A: 1\r\nX-B: 2"] }, "--header X-A must hold only visible ASCII"],
  ]);

  it("keeps names of headers that objects have, and their values as they are", () => {
    expect(Object.entries(parseHeaders(["__proto__: 1", "constructor:\t a:b "]) ?? {})).toEqual([
      ["__proto__", "1"],
      ["constructor", "a:b "],
    ]);
  });
});

describe("a target", () => {
  refuses(
    (url: string) => parseTarget(url, "URL", "stopwatch schedule https://example.com/hook --in 5m"),
    [
      ["no address", "example.com/hook", "URL must be an http(s) address"],
      ["another protocol", "ftp://example.com/", "URL must be an http(s) address"],
      ["a name and a port", "localhost:3000", "URL must be an http(s) address"],
      ["credentials", "https://a:b@example.com/", "URL must have no credentials"],
      ["a user", "https://a@example.com/", "URL must have no credentials"],
      ["nothing", "", "URL must be an http(s) address"],
    ],
  );
});

describe("an id", () => {
  refuses(
    (id: string) => readScheduleIds([id], "stopwatch get ID"),
    [
      ["of an operation", "op_01kxyz5n3h8q2v7c4m9t6w0b1d", "ID is the id of an operation, not of a schedule"],
      ["of an API key", "key_01kxyz5n3h8q2v7c4m9t6w0b1d", "ID is the id of an API key, not of a schedule"],
      ["in capitals", "SCH_01KXYZ5N3H8Q2V7C4M9T6W0B1D", "ID must be the id of a schedule"],
      ["that is cut", "sch_01kxyz5n3h8q2v7c4m9t6w0b1", "ID must be the id of a schedule"],
      ["that leads elsewhere", "sch_01kxyz5n3h8q2v7c4m9t6w0b1d/fire", "ID must be the id of a schedule"],
      ["that every object has", "constructor_1", "ID must be the id of a schedule"],
    ],
  );
});

describe("a filter", () => {
  refuses(
    (options: Parameters<typeof parseFilter>[0]) => parseFilter(options, NOW),
    [
      ["a status that does not exist", { status: "scheduled,waiting" }, "--status must be of scheduled, firing"],
      ["an empty status", { status: "" }, "--status must be of scheduled"],
      ["an empty text", { q: "" }, "--q must not be empty"],
      ["a time without an offset", { from: "2031-01-01T00:00" }, "--from must be an RFC 3339 instant"],
      ["two beginnings", { from: FUTURE, since: "1h" }, "--since must not stand beside --from"],
      ["what is no duration", { since: "1 hour" }, "--since must be a duration"],
    ],
  );

  it("begins as long ago as --since says", () => {
    expect(parseFilter({ since: "1h30m" }, NOW)).toEqual({ from: "2026-11-26T10:30:00.000Z" });
    expect(parseFilter({}, NOW)).toBeUndefined();
  });
});

describe("a number of rows, and a key", () => {
  refuses(parseLimit, [
    ["zero", { limit: "0" }, "--limit must be a whole number"],
    ["a negative number", { limit: "-1" }, "--limit must be a whole number"],
    ["a fraction", { limit: "1.5" }, "--limit must be a whole number"],
    ["two limits", { limit: "5", all: true }, "--all must not stand beside --limit"],
  ]);
  refuses(parseKeyForOnce, [
    ["an empty key", "", "--key-for-once must be 1 to 255 characters"],
    ["a long key", "x".repeat(256), "--key-for-once must be 1 to 255 characters"],
  ]);
});
