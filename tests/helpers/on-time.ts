import { expect, TestRunner } from "vitest";
import { SLOWNESS } from "./patience.ts";
import { countStalls } from "./stalls.ts";

/**
 * Expects that what the code took, or how late it was, is less than `boundMs`. `stalledMs` is what `countStalls` counted meanwhile,
 * and without it the longest stall since the test began: it excuses as much. Where the machine stalled for longer than the bound,
 * or is so many times slower that the bound says nothing, the test comes to no verdict: it counts as not run, and is named.
 */
export function expectOnTime(tookMs: number, boundMs: number, stalledMs = stalledInTest()): void {
  if (tookMs < boundMs) return;
  const ownMs = tookMs - stalledMs;
  if (stalledMs > boundMs || (ownMs >= boundMs && ownMs < boundMs * SLOWNESS)) {
    const took = `${Math.round(tookMs)} ms instead of ${boundMs}`;
    TestRunner.getCurrentTest()?.context.skip(
      `not judged: ${took}, stalled for ${Math.round(stalledMs)} ms, machine ${SLOWNESS.toFixed(1)} ×`,
    );
  }
  expect(ownMs).toBeLessThan(boundMs);
}

const SECOND_MS = 1_000;
/** What was counted in each second of this process; a longer stall is one entry. */
const seconds: { atMs: number; stalledMs: number }[] = [];
let count = countStalls();
setInterval(countSecond, SECOND_MS).unref();

function countSecond(): void {
  seconds.push({ atMs: Date.now(), stalledMs: count() });
  count = countStalls();
}

function stalledInTest(): number {
  countSecond();
  const fromMs = TestRunner.getCurrentTest()?.result?.startTime ?? 0;
  return Math.max(...seconds.filter(({ atMs }) => atMs >= fromMs).map(({ stalledMs }) => stalledMs));
}
