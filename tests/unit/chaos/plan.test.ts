import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LONG_MS, makePlan } from "../../chaos/plan.ts";

const options = fc.record({
  seed: fc.nat(),
  seconds: fc.integer({ min: 5, max: 150 }),
  dispatchers: fc.integer({ min: 1, max: 5 }),
  rate: fc.integer({ min: 1, max: 5 }),
  adversaries: fc.constant([]),
  faults: fc.constant(true),
});
const alone = { adversaries: [], faults: true };

describe("the plan of a seed", () => {
  it("is the same for the same seed, and another one for another seed", () => {
    const wanted = { seed: 7, seconds: 60, dispatchers: 3, rate: 20, ...alone };
    expect(makePlan(wanted)).toEqual(makePlan(wanted));
    expect(makePlan({ ...wanted, seed: 8 })).not.toEqual(makePlan(wanted));
  });

  it("ends every fault before the run ends", () => {
    fc.assert(
      fc.property(options, (wanted) => {
        for (const { atMs, forMs } of makePlan(wanted).faults) {
          expect(atMs).toBeGreaterThanOrEqual(0);
          expect(atMs + forMs).toBeLessThanOrEqual(wanted.seconds * 1000);
        }
      }),
    );
  });

  it("never has two faults of one dispatcher at once", () => {
    fc.assert(
      fc.property(options, (wanted) => {
        const { faults } = makePlan(wanted);
        for (let dispatcher = 0; dispatcher < wanted.dispatchers; dispatcher++) {
          const own = faults.filter((fault) => "dispatcher" in fault && fault.dispatcher === dispatcher);
          for (const [index, fault] of own.entries()) {
            const next = own[index + 1];
            if (next) expect(fault.atMs + fault.forMs).toBeLessThan(next.atMs);
          }
        }
      }),
    );
  });

  it("has a partition and a stop that outlast a lease when it has a minute and three dispatchers", () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const { faults } = makePlan({ seed, seconds: 60, dispatchers: 3, rate: 1, ...alone });
        const long = faults.filter(({ forMs }) => forMs === LONG_MS).map(({ kind }) => kind);
        expect(long.sort()).toEqual(["partition", "pause"]);
      }),
    );
  });

  it("creates schedules at the wanted rate", () => {
    const { creations } = makePlan({ seed: 1, seconds: 10, dispatchers: 1, rate: 40, ...alone });
    expect(creations).toHaveLength(400);
    for (let second = 0; second < 10; second++) {
      const then = creations.filter(({ atMs }) => Math.floor(atMs / 1000) === second);
      expect(then).toHaveLength(40);
    }
  });
});
