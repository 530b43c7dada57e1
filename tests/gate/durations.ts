import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { isLong } from "./head.ts";
import type { FileResult } from "./verdict.ts";

const FILE = "tests/gate/durations.json";

/** What a file counts for that was not measured yet, s: about the mean of those that were. */
const UNKNOWN_S = { long: 30, core: 1 };
/** Core files that are shorter are not written down: their order hardly matters. */
const CORE_MIN_S = 2;

/** Seconds that each test file took when the machine was quiet, by its path. Written by `.ci/night`. */
export function readDurations(): (file: string) => number {
  const measured = readMeasured();
  return (file) => measured[file] ?? (isLong(file) ? UNKNOWN_S.long : UNKNOWN_S.core);
}

/**
 * Writes what these files took; the others keep what they have. Returns a table of what that changes: the sums, and each file that
 * is new, or takes 5 s and a fifth more or less than before.
 */
export function writeDurations(results: readonly FileResult[]): string[] {
  const before = readMeasured();
  const measured = { ...before };
  for (const { file, seconds } of results) {
    delete measured[file];
    if (isLong(file) || seconds >= CORE_MIN_S) measured[file] = Math.max(1, Math.round(seconds));
  }
  for (const file of Object.keys(measured)) if (!existsSync(file)) delete measured[file];
  const sorted = Object.fromEntries(Object.entries(measured).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(FILE, `${JSON.stringify(sorted, null, 2)}\n`);
  const sum = (of: Record<string, number>, long: boolean) =>
    Object.entries(of).reduce((total, [file, seconds]) => total + (isLong(file) === long ? seconds : 0), 0);
  const isOther = (file: string) => {
    const [was = 0, is = 0] = [before[file], measured[file]];
    return Math.abs(was - is) >= Math.max(5, was / 5);
  };
  const changed = [...new Set([...Object.keys(before), ...Object.keys(measured)])].filter(isOther).sort();
  return [
    `Seconds on a quiet machine, before and now (core files of ${CORE_MIN_S} s and more):`,
    `  core ${sum(before, false)} ${sum(measured, false)}, long ${sum(before, true)} ${sum(measured, true)}`,
    ...changed.map((file) => `  ${before[file] ?? "–"} ${measured[file] ?? "–"} ${file}`),
  ];
}

const readMeasured = (): Record<string, number> => JSON.parse(readFileSync(FILE, "utf8"));
