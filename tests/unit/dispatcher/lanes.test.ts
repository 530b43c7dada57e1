import { describe, expect, it } from "vitest";
import { laneKey } from "#dispatcher/delivery/delivery.ts";
import { type Holdings, instantOf } from "#dispatcher/delivery/holdings.ts";
import type { Lane } from "#dispatcher/intake/lane.ts";
import { Lanes } from "#dispatcher/intake/lanes.ts";
import { memoryOfLateMax } from "#dispatcher/intake/memory.ts";
import { DELIVERY } from "#dispatcher/tuning/delivery.ts";
import { INTAKE } from "#dispatcher/tuning/intake.ts";
import { dueSchedule } from "#tests/helpers/due-schedule.ts";

/** Lanes with a clock that stands still until `pass` is called. `memory` says how full the memory is. */
function createLanes() {
  let nowMs = 1_000_000;
  const holdings = {
    memory: 0,
    memoryByLane: new Map<string, number>(),
    memoryByInstant: new Map<number, number>(),
    states: { "awaiting connection": 0 },
  };
  const clock = { now: () => nowMs, monotonic: () => nowMs };
  const lanes = new Lanes({
    clock,
    holdings: holdings as unknown as Holdings,
    rates: { limitOf: () => 20 },
    isSwept: () => true,
  });
  const taken = () => lanes.take(100).map(({ accountId }) => accountId);
  return {
    lanes,
    holdings,
    pass(ms: number) {
      nowMs += ms;
    },
    /** What is taken to be read once `ms` have passed. */
    takenIn(ms: number) {
      nowMs += ms;
      lanes.wantBackedOff();
      return taken();
    },
    /** A lane with something due in `inMs`, taken to be read. */
    read(name: string, inMs: number): Lane {
      const due = { accountId: name, env: "live" as const, shard: 0, dueAtMs: nowMs + inMs };
      lanes.wake(due, laneKey(due));
      const lane = lanes.take(1)[0];
      if (!lane) throw new Error("no lane is to be read");
      return lane;
    },
    taken,
  };
}

/** The lane is read, and there is no memory for its schedule that is due at `dueAtMs`. */
function readUntil(lane: Lane, dueAtMs: number): void {
  lane.beginRead();
  lane.endRead([dueSchedule({ dueAtMs })], { limit: 100, untilMs: dueAtMs, accept: () => false });
}

describe("a lane that backs off for lack of memory", () => {
  it("is read again after its pause, even when another lane backed off twice before it", () => {
    const { lanes, read, pass, taken } = createLanes();
    const [first, second] = [read("first", 0), read("second", 0)];
    lanes.backOff(first);
    pass(50);
    lanes.backOff(second);
    pass(70);
    readUntil(first, 1_000_000 + 60_000);
    lanes.backOff(first);
    pass(80);
    lanes.wantBackedOff();
    expect(taken()).toEqual(["second"]);
  });

  it("is read again a second before its next schedule is due, when that is later than the pause", () => {
    const { lanes, read, takenIn } = createLanes();
    lanes.backOff(read("far", 4_000));
    expect(takenIn(2_900)).toEqual([]);
    expect(takenIn(200)).toEqual(["far"]);
  });

  it("is read again a second before what was announced meanwhile and is due earlier", () => {
    const { lanes, read, taken, takenIn } = createLanes();
    const lane = read("far", 60_000);
    lanes.backOff(lane);
    lanes.readAgain(lane, 1_000_000 + 4_000);
    expect(takenIn(2_900)).toEqual([]);
    expect(takenIn(200)).toEqual(["far"]);
    lanes.backOff(lane);
    lanes.readAgain(lane, 1_000_000 + 3_500);
    expect(taken()).toEqual(["far"]);
  });

  it("and whose late schedules were put back, waits for its pause", () => {
    const { lanes, read, taken, takenIn } = createLanes();
    const lane = read("late", -60_000);
    lanes.backOff(lane);
    lanes.readAgain(lane, 1_000_000 - 60_000);
    expect(taken()).toEqual([]);
    expect(takenIn(200)).toEqual(["late"]);
  });

  it("is not read while memory is full, and with late schedules not while only the quarter for those on time is free", () => {
    const { lanes, holdings, pass, read, taken } = createLanes();
    const [late, onTime] = [read("late", -60_000), read("on time", 500)];
    for (const lane of [late, onTime]) {
      lanes.backOff(lane);
    }
    pass(200);
    lanes.wantBackedOff();
    holdings.memory = INTAKE.memoryMax;
    expect(taken()).toEqual([]);
    holdings.memory = memoryOfLateMax();
    expect(taken()).toEqual(["on time"]);
    holdings.memory = memoryOfLateMax() - 1;
    expect(taken()).toEqual(["late"]);
  });
});

describe("while only the memory for schedules on time is free, a lane that was never read", () => {
  it("is read a second before its first schedule is due, not sooner", () => {
    const { lanes, holdings, pass, taken } = createLanes();
    holdings.memory = memoryOfLateMax();
    lanes.wake({ accountId: "far", env: "live", shard: 0, dueAtMs: 1_000_000 + 4_000 }, "far:live");
    expect(taken()).toEqual([]);
    expect(lanes.hasMore()).toBe(false);
    pass(3_000);
    expect(lanes.hasMore()).toBe(true);
    expect(taken()).toEqual(["far"]);
  });

  it("is read once although its first schedule looks late, since that may be removed; if it is not, the lane is not read again", () => {
    const { lanes, holdings, pass, read, taken } = createLanes();
    holdings.memory = memoryOfLateMax();
    lanes.backOff(read("late", -60_000));
    pass(200);
    lanes.wantBackedOff();
    expect(lanes.hasMore()).toBe(false);
    expect(taken()).toEqual([]);
    holdings.memory = memoryOfLateMax() - 1;
    expect(taken()).toEqual(["late"]);
  });
});

describe("lanes of a large burst", () => {
  it("leave the reserved memory to schedules that are due after them, and are read once they are late", () => {
    const { lanes, holdings, pass, taken } = createLanes();
    const wake = (accountId: string, inMs: number) =>
      lanes.wake({ accountId, env: "live", shard: 0, dueAtMs: 1_000_000 + inMs }, `${accountId}:live`);
    holdings.memory = memoryOfLateMax();
    holdings.memoryByInstant.set(instantOf(1_000_000 + 500), DELIVERY.largeBurst);
    wake("of the burst", 500);
    wake("after it", 700);
    expect(taken()).toEqual(["after it"]);
    pass(600);
    lanes.wantBackedOff();
    holdings.memory = memoryOfLateMax() - 1;
    expect(taken()).toEqual([]);
    pass(1);
    lanes.wantBackedOff();
    expect(taken()).toEqual(["of the burst"]);
  });

  it("use the memory that is not reserved like other lanes", () => {
    const { lanes, holdings, read, taken } = createLanes();
    const first = read("first", 500);
    holdings.memoryByInstant.set(instantOf(1_000_000 + 500), DELIVERY.largeBurst);
    holdings.memory = memoryOfLateMax() - 1;
    lanes.readAgain(first, 1_000_000 + 500);
    expect(taken()).toEqual(["first"]);
    expect(lanes.capacityOf(first, 0)).toBe(1);
  });
});

describe("while too many late schedules wait for a connection", () => {
  it("late lanes are not read one statement after the other", () => {
    const { lanes, holdings, pass, read } = createLanes();
    lanes.backOff(read("late", -60_000));
    pass(200);
    lanes.wantBackedOff();
    expect(lanes.hasMore()).toBe(true);
    holdings.states["awaiting connection"] = INTAKE.memoryOfWaitingMax;
    expect(lanes.hasMore()).toBe(false);
  });
});

describe("lanes whose schedules are late", () => {
  it("are read together only as far as there is memory for late schedules", () => {
    const { lanes, holdings, pass, read, taken } = createLanes();
    for (const name of ["first", "second", "third"]) lanes.backOff(read(name, -60_000));
    pass(200);
    lanes.wantBackedOff();
    holdings.memory = memoryOfLateMax() - 2;
    expect(taken()).toHaveLength(2);
  });

  it("take no more schedules than fit into memory beside those of the lanes that are read with them", () => {
    const { lanes, holdings, read } = createLanes();
    const [late, onTime] = [read("late", -60_000), read("on time", 500)];
    holdings.memory = memoryOfLateMax() - 10;
    expect([0, 8, 20].map((planned) => lanes.capacityOf(late, planned))).toEqual([10, 2, 1]);
    expect(lanes.capacityOf(onTime, 20)).toBe(104);
    holdings.memoryByLane.set("on time:live", 100);
    expect(lanes.capacityOf(onTime, 20)).toBe(4);
  });
});

describe("a lane whose schedules are on time", () => {
  it("may take more than its equal share of the memory", () => {
    const { lanes, holdings, read } = createLanes();
    holdings.memory = memoryOfLateMax();
    for (let n = 0; n < 40_000; n++) holdings.memoryByLane.set(`other ${n}`, 1);
    holdings.memory = 0;
    const [late, onTime] = [read("late", -60_000), read("on time", 500)];
    holdings.memory = memoryOfLateMax();
    expect(lanes.maxOf(late)).toBe(4);
    expect(lanes.maxOf(onTime)).toBe(104);
  });
});
