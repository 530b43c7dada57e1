import { describe, expect, it } from "vitest";
import { writeCursor } from "#contract/inputs/cursor.ts";
import { encodeId } from "#domain/ids.ts";
import { readPageNumber } from "#server/lists/list-query.ts";
import { readLogListQuery } from "../../../app/(dashboard)/logs/list-query.ts";
import { filterParams, readScheduleListQuery } from "../../../app/(dashboard)/schedules/list-query.ts";

const now = new Date("2026-03-27T14:32:07.000Z");
const NO_RANGE = { text: "", isTyped: false };
const id = "019a0000-0000-7000-8000-000000000001";

describe("the address of the list of schedules", () => {
  const read = (params: Record<string, string>, zone = "UTC") => readScheduleListQuery(params, { now, zone });

  it("without parameters means all schedules, upcoming first", () => {
    expect(read({})).toEqual({ filter: {}, sort: "upcoming", page: 1, range: NO_RANGE });
  });

  it("names statuses, a part of the URL, a page and an order", () => {
    expect(read({ status: "dead,failed", q: " lumen ", sort: "-fire_at", page: "3" })).toEqual({
      filter: { status: ["dead", "failed"], q: "lumen" },
      sort: "-fire_at",
      page: 3,
      range: NO_RANGE,
    });
  });

  it.each([
    ["today", "UTC", "2026-03-27T00:00:00.000Z", "2026-03-28T00:00:00.000Z"],
    ["today", "America/New_York", "2026-03-27T04:00:00.000Z", "2026-03-28T04:00:00.000Z"],
    ["next hour", "UTC", "2026-03-27T14:32:07.000Z", "2026-03-27T15:32:07.000Z"],
    ["last 24 hours", "UTC", "2026-03-26T14:32:07.000Z", "2026-03-27T14:32:07.000Z"],
    ["Monday", "UTC", "2026-03-30T00:00:00.000Z", "2026-03-31T00:00:00.000Z"],
  ])("takes %s in %s for %s to %s", (range, zone, from, to) => {
    expect(read({ range }, zone).filter).toEqual({ from: new Date(from), to: new Date(to) });
  });

  it("accepts from and to as local times of the zone, or as RFC 3339 instants, and says them in words", () => {
    const filter = { from: new Date("2026-03-27T13:00:00Z"), to: new Date("2026-03-27T14:00:00Z") };
    expect(read({ from: "2026-03-27T14:00", to: "2026-03-27T15:00" }, "Europe/Berlin").filter).toEqual(filter);
    expect(read({ from: "2026-03-27T14:00", to: "2026-03-27T15:00" }, "Europe/Berlin").range.text).toBe(
      "27 Mar 14:00 to 15:00",
    );
    expect(read({ from: "2026-03-27T13:00:00Z", to: "2026-03-27T15:00:00+01:00" }).filter).toEqual(filter);
    expect(read({ ...(filterParams(filter) as Record<string, string>) }).filter).toEqual(filter);
  });

  it.each([
    [{ status: "pending" }],
    [{ status: "dead,pending" }],
    [{ q: "x".repeat(201) }],
    [{ q: "a\0" }],
    [{ range: "never" }],
    [{ range: "toString" }],
    [{ from: "yesterday" }],
    [{ from: "2026-02-30T12:00" }],
    [{ from: "2026-03-27T15:00:00Z", to: "2026-03-27T14:00:00Z" }],
  ])("reports the error in %j", (params) => {
    expect(read(params as Record<string, string>).problem).toMatch(/\.$/);
  });

  it("reads an unknown page or order as the first one", () => {
    expect(read({ page: "0", sort: "loudest" })).toMatchObject({ sort: "upcoming", page: 1 });
    expect(read({ page: "99999" }).page).toBe(500);
  });
});

describe("the address of the log", () => {
  const read = (params: Record<string, string>, zone = "UTC") => readLogListQuery(params, { now, zone });

  it("without parameters means the first page of all attempts", () => {
    const query = read({});
    expect(query).toMatchObject({ input: { limit: 50, offset: 0 }, page: 1, range: NO_RANGE, invalid: [] });
  });

  it("names an outcome, a class of codes, a schedule, a part of the URL and a page", () => {
    const params = { outcome: "failed", code: "5xx", schedule_id: encodeId("sch", id), q: " lumen ", page: "4" };
    expect(read(params)).toMatchObject({
      input: { outcome: "failed", code: "5xx", schedule_id: id, q: "lumen", offset: 150 },
      page: 4,
      invalid: [],
    });
  });

  it.each([
    ["1h", "2026-03-27T13:32:07.000Z"],
    ["24h", "2026-03-26T14:32:07.000Z"],
    ["7d", "2026-03-20T14:32:07.000Z"],
    ["last hour", "2026-03-27T13:32:07.000Z"],
  ])("takes %s for everything from %s on", (range, from) => {
    expect(read({ range, to: "2026-01-01T00:00" }).input).toMatchObject({ from: new Date(from), to: undefined });
  });

  it("takes two instants, each to the second, and words before them", () => {
    const bounds = { from: "2026-03-27T14:00", to: "2026-03-27T15:00:30" };
    const { from, to } = read(bounds, "Europe/Berlin").input;
    expect({ from, to }).toEqual({ from: new Date("2026-03-27T13:00:00Z"), to: new Date("2026-03-27T14:00:30Z") });
    expect(read({ range: "yesterday", ...bounds }).input.from).toEqual(new Date("2026-03-26T00:00:00Z"));
  });

  it("names what is not valid, leaves it out, and keeps the rest", () => {
    const query = read({ code: "6xx", outcome: "failed", range: "never", from: "yesterday", page: "4" });
    expect(query).toMatchObject({ input: { outcome: "failed", offset: 0 }, page: 1, invalid: ["code", "range"] });
    expect(query.input.code).toBeUndefined();
    expect(read({ from: "yesterday" })).toMatchObject({
      invalid: ["range"],
      range: { problem: expect.stringMatching(/in full/) },
    });
  });

  it.each<Record<string, string>>([{}, { range: "24h", outcome: "failed" }])(
    "continues after a cursor of the log's page, with %j",
    (filters) => {
      const after = writeCursor({ order: "-attempted_at", atMs: 1, id, attempt: 2, rowsBefore: 10_000 });
      const query = read({ ...filters, after });
      expect(query).toMatchObject({ input: { after: { id, attempt: 2, rowsBefore: 10_000 } }, invalid: [] });
    },
  );

  it("leaves out a cursor of another list even when another parameter is not valid either", () => {
    const after = writeCursor({ order: "fire_at", atMs: 1, id, attempt: 0, rowsBefore: 20 });
    expect(read({ after, code: "6xx" })).toMatchObject({ input: { offset: 0 }, page: 1, invalid: ["code", "after"] });
  });
});

it.each([
  ["1", 1],
  ["20", 20],
  ["21", 20],
  ["9".repeat(400), 20],
  ["0", 1],
  ["-1", 1],
  ["2.5", 1],
  ["", 1],
  [undefined, 1],
])("page %j of 20 is page %i", (text, page) => {
  expect(readPageNumber(text, 20)).toBe(page);
});
