/**
 * How many times slower this machine is than the one on which the durations were measured, at least 1. `npm test` measures it
 * (`tests/gate/measure-machine.ts`) and sets it for the tests.
 */
export const SLOWNESS = Math.max(1, Number(process.env.TEST_SLOWNESS ?? 1));

/** How many times longer than expected a wait may take before it counts as lost. */
const HARD = 6;

/**
 * The hard deadline, ms, of what is expected within `softMs`, where time is no guarantee. A wait that is merely slow is noted;
 * only one that ends after this is red. So what is lost stays lost, and a machine that stalls fails no test.
 */
export const patient = (softMs: number): number => softMs * HARD * SLOWNESS;
