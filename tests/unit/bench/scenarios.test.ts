import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ACCOUNTS, makeScenario, SCENARIO_NAMES } from "../../bench/scenarios.ts";

const OPTIONS = { seed: 1, seconds: 5, backlog: 1_000 };

describe("makeScenario", () => {
  test("the same seed gives the same jobs, another one others", () => {
    for (const name of SCENARIO_NAMES) expect(makeScenario(name, OPTIONS)).toEqual(makeScenario(name, OPTIONS));
    expect(makeScenario("steady300", OPTIONS).jobs).not.toEqual(
      makeScenario("steady300", { ...OPTIONS, seed: 2 }).jobs,
    );
  });

  test("every job has its own number, an account, and a whole millisecond within the scenario", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...SCENARIO_NAMES),
        fc.nat(),
        fc.integer({ min: 1, max: 4 }),
        (name, seed, seconds) => {
          const { jobs, seconds: lasts } = makeScenario(name, { seed, seconds, backlog: 1_000 });
          const lengthMs = 1_000 * lasts;
          jobs.forEach((job, at) => {
            expect(job.n).toBe(at);
            expect(Number.isInteger(job.offsetMs) && job.offsetMs >= 0 && job.offsetMs < lengthMs).toBe(true);
            expect(job.account >= 0 && job.account < ACCOUNTS).toBe(true);
          });
        },
      ),
      { numRuns: 30 },
    );
  });

  test("a steady scenario has as many jobs a second as it says, in order of their instants", () => {
    const { jobs } = makeScenario("steady1000", OPTIONS);
    expect(jobs).toHaveLength(5_000);
    expect(jobs.map((job) => job.offsetMs)).toEqual(jobs.map((job) => job.offsetMs).sort((a, b) => a - b));
  });

  test("jobs that are never answered are numbered after the answered ones and are of one account", () => {
    const { jobs, answered } = makeScenario("hanging", OPTIONS);
    const hanging = jobs.slice(answered);
    expect(jobs.slice(0, answered).some((job) => job.hangs)).toBe(false);
    expect(hanging).toHaveLength(100);
    expect(hanging.every((job) => job.hangs && job.account === 0)).toBe(true);
  });

  test("a burst is due at one instant", () => {
    const { jobs } = makeScenario("burst5000", OPTIONS);
    expect(jobs).toHaveLength(5_000);
    expect(new Set(jobs.map((job) => job.offsetMs))).toEqual(new Set([0]));
  });
});
