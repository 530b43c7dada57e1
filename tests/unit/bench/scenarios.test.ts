import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ACCOUNTS, CROWD, makeScenario, NEIGHBOURS, SCENARIO_NAMES } from "../../bench/scenarios.ts";

const OPTIONS = { seed: 1, seconds: 5, backlog: 1_000, overdue: 2_000 };

describe("makeScenario", () => {
  test("makes the same jobs from the same seed, and other jobs from another seed", () => {
    for (const name of SCENARIO_NAMES) expect(makeScenario(name, OPTIONS)).toEqual(makeScenario(name, OPTIONS));
    expect(makeScenario("steady300", OPTIONS).jobs).not.toEqual(
      makeScenario("steady300", { ...OPTIONS, seed: 2 }).jobs,
    );
  });

  test("gives every job a number of its own, an account, and a whole millisecond within the scenario", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...SCENARIO_NAMES),
        fc.nat(),
        fc.integer({ min: 1, max: 4 }),
        (name, seed, seconds) => {
          const { jobs, control, seconds: lasts } = makeScenario(name, { ...OPTIONS, seed, seconds });
          const lengthMs = 1_000 * lasts;
          const neighbours = name === "neighbour-crowd" ? NEIGHBOURS + CROWD : NEIGHBOURS;
          // One assertion for all: a scenario has thousands of jobs.
          const isRight = ({ n, offsetMs, account }: (typeof jobs)[number], at: number) =>
            n === at &&
            Number.isInteger(offsetMs) &&
            offsetMs >= (at < control ? 0 : -1_000) &&
            offsetMs < lengthMs &&
            account >= 0 &&
            account < ACCOUNTS + (at < control ? 0 : neighbours);
          expect(jobs.filter((job, at) => !isRight(job, at))).toEqual([]);
        },
      ),
      { numRuns: 30 },
    );
  });

  test("makes as many jobs per second as a steady scenario says, in the order of their instants", () => {
    const { jobs } = makeScenario("steady1000", OPTIONS);
    expect(jobs).toHaveLength(5_000);
    expect(jobs.map((job) => job.offsetMs)).toEqual(jobs.map((job) => job.offsetMs).sort((a, b) => a - b));
  });

  test("numbers the jobs that are never answered after the answered ones, all of one account", () => {
    const { jobs, answered } = makeScenario("hanging", OPTIONS);
    const hanging = jobs.slice(answered);
    expect(jobs.slice(0, answered).every((job) => job.target === "well")).toBe(true);
    expect(hanging).toHaveLength(100);
    expect(hanging.every((job) => job.target === "hanging" && job.account === 0)).toBe(true);
  });

  test.each(["neighbour-backlog", "neighbour-hangs", "slow-target", "many-origins"] as const)(
    "gives the control group of %s 100 requests per second to healthy targets, and no account of its neighbours",
    (name) => {
      const { jobs, control } = makeScenario(name, OPTIONS);
      expect(control).toBe(500);
      expect(jobs.length).toBeGreaterThan(control);
      expect(jobs.slice(0, control).every((job) => job.target === "well" && job.account < ACCOUNTS)).toBe(true);
      expect(jobs.slice(control).every((job) => job.account >= ACCOUNTS)).toBe(true);
    },
  );

  test("makes all overdue rows of neighbour-backlog due before the first job of the control group, and does not wait for them", () => {
    const { jobs, control, answered, restDelivers } = makeScenario("neighbour-backlog", OPTIONS);
    expect(jobs.slice(control)).toHaveLength(2_000);
    expect(jobs.slice(control).every((job) => job.offsetMs < 0)).toBe(true);
    expect([answered, restDelivers]).toEqual([control, true]);
  });

  test("makes all jobs of a burst due at one instant", () => {
    const { jobs } = makeScenario("burst5000", OPTIONS);
    expect(jobs).toHaveLength(5_000);
    expect(new Set(jobs.map((job) => job.offsetMs))).toEqual(new Set([0]));
  });
});
