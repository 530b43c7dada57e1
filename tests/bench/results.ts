import { mkdir, rename, writeFile } from "node:fs/promises";
import { cpus, release, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Bar } from "./bars.ts";
import type { BenchOptions } from "./bench.ts";
import type { Engine } from "./engine.ts";
import type { Row, Run } from "./report.ts";

const FOLDER = fileURLToPath(new URL("./results/", import.meta.url));

/** Writes results/latest.json: the machine, the settings, bars, medians and spread, and every run. */
export async function writeResults(
  { rounds, seconds, backlog, seed }: BenchOptions,
  engines: readonly Engine[],
  found: { bars: Bar[]; rows: Row[]; runs: Run[] },
): Promise<void> {
  const machine = {
    cpu: cpus()[0]?.model,
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
  };
  const result = {
    at: new Date().toISOString(),
    machine,
    options: { rounds, seconds, backlog, seed },
    engines: engines.map(({ name, settings, claimLead }) => ({ name, settings, claimLead })),
    ...found,
  };
  await mkdir(FOLDER, { recursive: true });
  await writeFile(join(FOLDER, "latest.json.tmp"), `${JSON.stringify(result, null, 2)}\n`);
  await rename(join(FOLDER, "latest.json.tmp"), join(FOLDER, "latest.json"));
}
