import { expect, it } from "vitest";
import { Holdings, instantOf } from "#dispatcher/delivery/holdings.ts";
import { Intake } from "#dispatcher/intake/intake.ts";
import { memoryOfLateMax } from "#dispatcher/intake/memory.ts";
import { DELIVERY } from "#dispatcher/tuning/delivery.ts";
import { INTAKE } from "#dispatcher/tuning/intake.ts";
import { parsePlans } from "#domain/plans.ts";
import { dueSchedule } from "#tests/helpers/due-schedule.ts";

/** An intake with `size` deliveries in memory, of which `waiting` are late and wait for a connection. */
function createIntake(size: number, waiting: number) {
  const removed: unknown[] = [];
  const readAgain: unknown[] = [];
  const deps = {
    clock: { now: () => 100_000 },
    deliveries: {
      size,
      count: () => waiting,
      find: (_is: unknown, max: number) => Array.from({ length: max }, () => ({ lane: "late", dueAtMs: 0 })),
      move: (delivery: unknown) => removed.push(delivery),
    },
    lanes: { get: () => ({}), backOff() {}, readAgain: (_lane: unknown, ms: number) => readAgain.push(ms) },
  };
  const intake = new Intake(deps as unknown as ConstructorParameters<typeof Intake>[0]);
  return { intake, removed, readAgain };
}

it("a schedule comes into memory while the lease on its shard is over, since the next heartbeat may renew it", () => {
  const added: unknown[] = [];
  const deps = {
    clock: { now: () => 100_000 },
    deliveries: {
      get: () => undefined,
      count: () => 0,
      add: (due: unknown) => added.push(due),
      holdings: new Holdings(1),
    },
    shards: { owns: (shard: number) => shard === 1 },
    recorder: { holds: () => false },
    rates: { setLimit() {} },
    plans: parsePlans(undefined),
  };
  const intake = new Intake(deps as unknown as ConstructorParameters<typeof Intake>[0]);
  for (const shard of [1, 2]) expect(intake.accept(dueSchedule({ shard, dueAtMs: 100_000 }))).toBe(true);
  expect(added).toEqual([expect.objectContaining({ shard: 1 })]);
});

it("while 10,000 wait for connections to an origin, what is a little late for it comes into memory, unless it is of a large burst", () => {
  const holdings = new Holdings(1);
  const nowMs = 100_000;
  const burstMs = nowMs - 500;
  holdings.memoryByInstant.set(instantOf(burstMs), DELIVERY.largeBurst);
  const deps = {
    clock: { now: () => nowMs },
    deliveries: { get: () => undefined, add() {}, holdings, count: () => INTAKE.memoryOfWaitingMax },
    waitingList: { isFull: (origin: string) => origin === "https://full.example" },
    shards: { owns: () => true },
    recorder: { holds: () => false },
    rates: { setLimit() {} },
    plans: parsePlans(undefined),
  };
  const intake = new Intake(deps as unknown as ConstructorParameters<typeof Intake>[0]);
  const accept = (dueAtMs: number, origin = "https://full.example") => intake.accept(dueSchedule({ dueAtMs, origin }));
  expect(accept(nowMs - 1_000)).toBe(true);
  expect(accept(burstMs)).toBe(false);
  expect(accept(nowMs - DELIVERY.longLateMs)).toBe(false);
  expect(accept(burstMs, "https://other.example")).toBe(true);
});

it("late schedules that wait for a connection are put back once they leave no memory for other late ones", () => {
  const { intake, removed, readAgain } = createIntake(memoryOfLateMax(), INTAKE.memoryOfWaitingMax + 300);
  intake.putBackWaiting();
  expect(removed).toHaveLength(300);
  expect(readAgain).toHaveLength(300);
});

it("late schedules that wait for a connection stay while others fit into memory, or while they are few", () => {
  for (const [size, waiting] of [
    [memoryOfLateMax() - 1, INTAKE.memoryOfWaitingMax + 300],
    [memoryOfLateMax(), INTAKE.memoryOfWaitingMax],
  ] as const) {
    const { intake, removed } = createIntake(size, waiting);
    intake.putBackWaiting();
    expect(removed).toEqual([]);
  }
});
