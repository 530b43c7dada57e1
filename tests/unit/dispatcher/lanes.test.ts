import { describe, expect, it } from "vitest";
import { laneKey } from "#dispatcher/delivery/delivery.ts";
import type { Holdings } from "#dispatcher/delivery/holdings.ts";
import type { Lane } from "#dispatcher/intake/lane.ts";
import { Lanes } from "#dispatcher/intake/lanes.ts";
import { MEMORY_MAX, MEMORY_OF_LATE_MAX } from "#dispatcher/intake/memory.ts";

/** Lanes with a clock that stands still until `pass`, and memory that is as full as `memory` says. */
function createLanes() {
  let nowMs = 1_000_000;
  const holdings = { memory: 0, memoryByLane: new Map<string, number>() };
  const clock = { now: () => nowMs, monotonic: () => nowMs };
  const lanes = new Lanes({ clock, holdings: holdings as unknown as Holdings, rates: { limitOf: () => 20 } });
  return {
    lanes,
    holdings,
    pass(ms: number) {
      nowMs += ms;
    },
    /** A lane that has something due in `inMs`, as it was taken to be read. */
    read(name: string, inMs: number): Lane {
      const due = { accountId: name, env: "live" as const, shard: 0, dueAtMs: nowMs + inMs };
      lanes.wake(due, laneKey(due));
      const lane = lanes.take(1)[0];
      if (!lane) throw new Error("no lane is to be read");
      return lane;
    },
    taken: () => lanes.take(100).map(({ accountId }) => accountId),
  };
}

describe("a lane that found no room", () => {
  it("is read again after its pause, also when another one was deferred a second time before it", () => {
    const { lanes, read, pass, taken } = createLanes();
    const [first, second] = [read("first", 0), read("second", 0)];
    lanes.defer(first);
    pass(50);
    lanes.defer(second);
    pass(70);
    first.moreFromMs = 1_000_000 + 60_000;
    lanes.defer(first);
    pass(80);
    lanes.wantDeferred();
    expect(taken()).toEqual(["second"]);
  });

  it("is read again a second before what it has is due, when that is later", () => {
    const { lanes, read, pass, taken } = createLanes();
    lanes.defer(read("far", 4_000));
    pass(2_900);
    lanes.wantDeferred();
    expect(taken()).toEqual([]);
    pass(200);
    lanes.wantDeferred();
    expect(taken()).toEqual(["far"]);
  });

  it("is not read while there is no memory, and what is late not while a quarter of it is kept for what is on time", () => {
    const { lanes, holdings, pass, read, taken } = createLanes();
    const [late, onTime] = [read("late", -60_000), read("on time", 500)];
    for (const lane of [late, onTime]) {
      lane.readTo = { ms: 0, id: "00000000-0000-0000-0000-000000000000" };
      lanes.defer(lane);
    }
    pass(200);
    lanes.wantDeferred();
    holdings.memory = MEMORY_MAX;
    expect(taken()).toEqual([]);
    holdings.memory = MEMORY_OF_LATE_MAX;
    expect(taken()).toEqual(["on time"]);
    holdings.memory = MEMORY_OF_LATE_MAX - 1;
    expect(taken()).toEqual(["late"]);
  });
});

describe("a lane", () => {
  it("is not bounded by its equal part of the memory while what it has is on time", () => {
    const { lanes, holdings, read } = createLanes();
    holdings.memory = MEMORY_OF_LATE_MAX;
    for (let n = 0; n < 40_000; n++) holdings.memoryByLane.set(`other ${n}`, 1);
    holdings.memory = 0;
    const [late, onTime] = [read("late", -60_000), read("on time", 500)];
    holdings.memory = MEMORY_OF_LATE_MAX;
    expect(lanes.maxOf(late)).toBe(4);
    expect(lanes.maxOf(onTime)).toBe(104);
  });
});
