import { spawnSync } from "node:child_process";

/** What `work` took on a quiet machine with the speed at which `durations.json` was measured, ms. */
const QUIET_MS = 300;
const ROUNDS = 5;

/** A machine that is slower than this can tell nothing about a change: its stalls are longer than what tests measure. */
export const SLOWNESS_MAX = 4;

/** The exit code of a run that could judge nothing: EX_TEMPFAIL of sysexits.h. */
export const NOTHING_JUDGED = 75;

/**
 * How many times slower this machine is now than the one on which the durations were measured: the median of five rounds of a
 * fixed piece of work, which parses and prints a megabyte of JSON and starts Node.js twice.
 */
export function measureMachine(): number {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const startedMs = performance.now();
    work();
    return performance.now() - startedMs;
  });
  return (rounds.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] as number) / QUIET_MS;
}

const TEXT = JSON.stringify(Array.from({ length: 10_000 }, (_, n) => ({ n, name: `name ${n}`, at: [n, `${n / 7}`] })));

function work(): void {
  for (let n = 0; n < 10; n++) JSON.stringify(JSON.parse(TEXT));
  for (let n = 0; n < 2; n++) spawnSync(process.execPath, ["-e", ""]);
}
