import { describe, expect, it } from "vitest";
import { filterParams, readAsked } from "../../../app/(dashboard)/schedules/asked.ts";

const now = new Date("2026-03-27T14:32:07.000Z");
const read = (params: Record<string, string>, zone = "UTC") => readAsked(params, { now, zone });

describe("the address of the list", () => {
  it("without parameters asks for all schedules, upcoming first", () => {
    expect(read({})).toEqual({ filter: {}, sort: "upcoming", page: 1 });
  });

  it("names statuses, a part of the URL, a page and an order", () => {
    expect(read({ status: "dead,failed", q: " lumen ", sort: "-fire_at", page: "3" })).toEqual({
      ...{ filter: { statuses: ["dead", "failed"], q: "lumen" }, sort: "-fire_at", page: 3 },
    });
  });

  it.each([
    ["today", "UTC", "2026-03-27T00:00:00.000Z", "2026-03-28T00:00:00.000Z"],
    ["today", "America/New_York", "2026-03-27T04:00:00.000Z", "2026-03-28T04:00:00.000Z"],
    ["hour", "UTC", "2026-03-27T14:32:07.000Z", "2026-03-27T15:32:07.000Z"],
    ["week", "UTC", "2026-03-27T14:32:07.000Z", "2026-04-03T14:32:07.000Z"],
    ["past-day", "UTC", "2026-03-26T14:32:07.000Z", "2026-03-27T14:32:07.000Z"],
  ])("takes %s in %s for %s to %s", (fires, zone, from, to) => {
    expect(read({ fires }, zone).filter).toEqual({ from: new Date(from), to: new Date(to) });
  });

  it("takes two instants as clocks show them, or as the API writes them, also without saying that it is a range", () => {
    const filter = { from: new Date("2026-03-27T13:00:00Z"), to: new Date("2026-03-27T14:00:00Z") };
    expect(
      read({ fires: "between", from: "2026-03-27T14:00", to: "2026-03-27T15:00" }, "Europe/Berlin").filter,
    ).toEqual(filter);
    expect(read({ from: "2026-03-27T13:00:00Z", to: "2026-03-27T15:00:00+01:00" }).filter).toEqual(filter);
    expect(read({ ...(filterParams(filter) as Record<string, string>) }).filter).toEqual(filter);
  });

  it.each([
    [{ status: "pending" }],
    [{ q: "x".repeat(201) }],
    [{ q: "a\0" }],
    [{ fires: "never" }],
    [{ from: "yesterday" }],
    [{ from: "2026-03-27T15:00:00Z", to: "2026-03-27T14:00:00Z" }],
  ])("reports the error in %j, and does not show all schedules instead", (params) => {
    expect(read(params as Record<string, string>).problem).toMatch(/\.$/);
  });

  it("reads an unknown page or order as the first one", () => {
    expect(read({ page: "0", sort: "loudest" })).toEqual({ filter: {}, sort: "upcoming", page: 1 });
    expect(read({ page: "99999" }).page).toBe(500);
  });
});
