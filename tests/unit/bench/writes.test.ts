import { describe, expect, it } from "vitest";
import { checkWrites } from "../../bench/thresholds.ts";
import type { WriteRound } from "../../bench/writes.ts";

const round = (changed: Partial<WriteRound> = {}): WriteRound => ({
  emptyCpuUs: 500,
  createCpuUs: 600,
  createsPerSecond: 1_000,
  bulkCpuUsPerSchedule: 50,
  bulkSchedulesPerSecond: 10_000,
  rssEarlyMb: 400,
  rssLateMb: 410,
  ...changed,
});
const met = (rounds: WriteRound[]) => checkWrites(rounds).map((threshold) => threshold.met);

describe("the thresholds of the writes", () => {
  it("are met when creates are cheap, bulk calls fast and memory flat", () => {
    expect(met([round(), round()])).toEqual([true, true, true]);
  });

  it("compare a create with the empty handler of the same round, and take the median round", () => {
    const slow = round({ emptyCpuUs: 5_000, createCpuUs: 6_000 });
    expect(checkWrites([round(), slow, slow])[0]?.value).toBeCloseTo(1.2);
    expect(met([round({ createCpuUs: 660 }), round({ createCpuUs: 655 }), round()])[0]).toBe(false);
  });

  it("are missed when bulk calls are slow, or when memory grows from the first round to the last", () => {
    const growing = [400, 440, 480].map((mb) => round({ rssEarlyMb: mb, rssLateMb: mb + 10 }));
    expect(met(growing)).toEqual([true, true, false]);
    expect(met([round({ bulkSchedulesPerSecond: 4_999 })])).toEqual([true, false, true]);
  });

  it("are undecided when nothing was measured", () => {
    expect(met([])).toEqual([null, null, null]);
  });
});
