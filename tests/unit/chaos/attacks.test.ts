import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRandom } from "#tests/helpers/random.ts";
import { ADVERSARIES } from "../../chaos/adversaries/adversaries.ts";
import { drawAttacks } from "../../chaos/attacks.ts";
import { makePlan } from "../../chaos/plan.ts";

const NAMES = ADVERSARIES.map(({ name }) => name);
const names = fc.subarray(NAMES, { minLength: 1 });
const options = { dispatchers: 3, rate: 1, faults: true };

describe("the attacks of a seed", () => {
  it("are the same for the same seed, and others for another seed", () => {
    const attacks = (seed: number) => drawAttacks(createRandom(seed), 120_000, NAMES);
    expect(attacks(7)).toEqual(attacks(7));
    expect(attacks(8)).not.toEqual(attacks(7));
  });

  it("include every adversary within ten minutes, several at once", () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const attacks = drawAttacks(createRandom(seed), 600_000, NAMES);
        expect(new Set(attacks.map(({ adversary }) => adversary))).toEqual(new Set(NAMES));
        const [, second] = attacks;
        const first = attacks[0] as (typeof attacks)[number];
        expect(second?.atMs).toBeLessThan(first.atMs + first.forMs);
      }),
      { numRuns: 5 },
    );
  });

  it("never overlap for one adversary, and all end before the run does", () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 5, max: 200 }), names, (seed, seconds, chosen) => {
        const attacks = drawAttacks(createRandom(seed), seconds * 1_000, chosen);
        const overAtMs = new Map<string, number>();
        for (const { adversary, atMs, forMs } of attacks) {
          expect(chosen).toContain(adversary);
          expect(atMs).toBeGreaterThan(overAtMs.get(adversary) ?? 0);
          overAtMs.set(adversary, atMs + forMs);
          expect(atMs + forMs).toBeLessThanOrEqual(seconds * 1_000 + 1e-6);
        }
      }),
      { numRuns: 30 },
    );
  });

  it("have only steps within their time, for accounts that their adversary has", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ADVERSARIES),
        fc.nat(),
        fc.integer({ min: 14_000, max: 30_000 }),
        (one, seed, forMs) => {
          for (const step of one.steps(createRandom(seed), forMs)) {
            expect(step.atMs).toBeGreaterThanOrEqual(0);
            expect(step.atMs).toBeLessThanOrEqual(forMs);
            if (step.kind !== "create") continue;
            expect(step.account).toBeLessThan(one.accounts);
            expect(step.orders.length).toBeLessThanOrEqual(500);
            for (const { dueAtMs } of step.orders) expect(dueAtMs).toBeGreaterThan(step.atMs);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it("include at least one in a run of one minute with a single adversary", () => {
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom(...NAMES), (seed, adversary) => {
        const { attacks } = makePlan({ seed, seconds: 60, adversaries: [adversary], ...options });
        expect(attacks[0]).toMatchObject({ adversary });
      }),
      { numRuns: 30 },
    );
  });
});

describe("faults beside adversaries", () => {
  it("stop for the second half of each 150 s, or of the run if that is shorter", () => {
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom(60, 150, 600), (seed, seconds) => {
        const { faults } = makePlan({ seed, seconds, adversaries: NAMES, ...options });
        const cycleMs = Math.min(seconds, 150) * 1_000;
        expect(faults.length).toBeGreaterThan(0);
        for (const { atMs, forMs } of faults) expect((atMs % cycleMs) + forMs).toBeLessThanOrEqual(cycleMs / 2);
      }),
      { numRuns: 10 },
    );
  });

  it("do not change the load of the control group, which follows from the seed alone", () => {
    const plan = (adversaries: string[], faults: boolean) =>
      makePlan({ seed: 3, seconds: 20, ...options, adversaries, faults }).control;
    expect(plan(NAMES, true)).toEqual(plan([], false));
  });
});

it.each(ADVERSARIES.map(({ name, does }) => [name, does]))("the README describes the adversary %s", (name, does) => {
  const readme = readFileSync(new URL("../../chaos/README.md", import.meta.url), "utf8");
  expect(readme).toContain(`| \`${name}\` | ${does} |`);
});
