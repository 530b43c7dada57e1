import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Clock } from "#dispatcher/runtime/clock.ts";

/**
 * A process with a simulated clock and network. `offset` is how far the database's clock is ahead of the monotonic one.
 */
function simulate(offset: { ms: number }) {
  let now = 1_000;
  let there = 0;
  let back = 0;
  const clock = new Clock({
    monotonic: () => now,
    wall: () => now + 5_000,
    read: async () => {
      now += there;
      const answer = now + offset.ms;
      now += back;
      return answer;
    },
  });
  return {
    clock,
    database: () => now + offset.ms,
    pass(ms: number) {
      now += ms;
    },
    async sample(thereMs: number, backMs: number) {
      there = thereMs;
      back = backMs;
      await clock.runOnce();
    },
  };
}

const delay = fc.double({ min: 0, max: 200, noNaN: true });

describe("the clock", () => {
  it("is never ahead of the database's clock, and as close to it as the quickest answer allows", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.double({ min: -1e6, max: 1e6, noNaN: true }),
        fc.array(fc.tuple(delay, delay, fc.double({ min: 0, max: 2_000, noNaN: true })), {
          minLength: 1,
          maxLength: 40,
        }),
        async (offset, rounds) => {
          const world = simulate({ ms: offset });
          for (const [there, back, pause] of rounds) {
            await world.sample(there, back);
            expect(world.clock.now()).toBeLessThanOrEqual(world.database() + 1e-6);
            expect(world.database() - world.clock.now()).toBeLessThanOrEqual(back + 1e-6);
            world.pass(pause);
            expect(world.clock.now()).toBeLessThanOrEqual(world.database() + 1e-6);
            const instant = world.clock.now() + 1_000;
            world.pass(world.clock.monotonicAt(instant) - world.clock.monotonic());
            expect(world.clock.now()).toBeCloseTo(instant, 3);
          }
        },
      ),
    );
  });

  it("stays behind a database whose clock runs up to 100 ppm slower", async () => {
    const offset = { ms: 50_000 };
    const world = simulate(offset);
    for (let n = 0; n < 100; n++) {
      await world.sample(0.1, n % 7 === 0 ? 0.05 : 3);
      world.pass(1_000);
      offset.ms -= 0.1;
      expect(world.clock.now()).toBeLessThanOrEqual(world.database() + 1e-6);
    }
  });

  it.each([-3_600_000, -600, 600, 3_600_000])(
    "follows a step of the database's clock by %i ms, and reports the step",
    async (stepMs) => {
      const offset = { ms: 0 };
      const world = simulate(offset);
      for (let n = 0; n < 10; n++) await world.sample(1, 1);
      expect(world.clock.sinceStepMs()).toBe(Number.POSITIVE_INFINITY);
      offset.ms += stepMs;
      await world.sample(1, 1);
      expect(world.clock.sinceStepMs()).toBeLessThan(10);
      expect(world.database() - world.clock.now()).toBeCloseTo(1, 3);
    },
  );

  it("is not ahead after a small step back of the database's clock", async () => {
    const offset = { ms: 0 };
    const world = simulate(offset);
    for (let n = 0; n < 10; n++) await world.sample(1, 1);
    offset.ms -= 300;
    await world.sample(1, 1);
    expect(world.clock.now()).toBeLessThanOrEqual(world.database() + 1e-6);
    expect(world.clock.sinceStepMs()).toBe(Number.POSITIVE_INFINITY);
  });

  it("reports how far the process's own clock is ahead, and is not set before its first sample", async () => {
    const world = simulate({ ms: 2_000 });
    expect(world.clock.isSet()).toBe(false);
    await world.sample(0, 0);
    expect(world.clock.isSet()).toBe(true);
    expect(world.clock.skewMs()).toBeCloseTo(3_000, 3);
  });
});
