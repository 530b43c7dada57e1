import { readFileSync, writeFileSync } from "node:fs";
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

/** Writes what these files took. The others keep what they have. */
export function writeDurations(results: readonly FileResult[]): void {
  const measured = readMeasured();
  for (const { file, seconds } of results) {
    delete measured[file];
    if (isLong(file) || seconds >= CORE_MIN_S) measured[file] = Math.max(1, Math.round(seconds));
  }
  const sorted = Object.fromEntries(Object.entries(measured).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(FILE, `${JSON.stringify(sorted, null, 2)}\n`);
}

const readMeasured = (): Record<string, number> => JSON.parse(readFileSync(FILE, "utf8"));
const isLong = (file: string) => file.endsWith(".long.test.ts");
