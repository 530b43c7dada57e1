import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { cpus, release, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BenchOptions } from "./bench.ts";
import type { Engine } from "./engine.ts";
import { type Failure, failureLines, type Row, type Run } from "./report.ts";
import type { Threshold } from "./thresholds.ts";

const FOLDER = fileURLToPath(new URL("./results/", import.meta.url));

/** The parts that are measured by themselves, beside the deliveries. */
export type Part = "writes" | "costs" | "listening" | "reads" | "pages" | "retention";

/**
 * Writes the deliveries to a file of results/, `latest` unless the options name another: the machine, the settings, the
 * thresholds, medians and spread. Every run goes to results/runs.json, which is not committed.
 */
export async function writeResults(
  { rounds, seconds, backlog, overdue, seed, results }: BenchOptions,
  engines: readonly Engine[],
  found: { thresholds: Threshold[]; rows: Row[]; runs: Run[]; failures: Failure[] },
): Promise<void> {
  const { thresholds, rows, runs, failures } = found;
  await change(fileOf(results), {
    ...stamp(),
    options: { rounds, seconds, backlog, overdue, seed },
    engines: engines.map(({ name, settings, claimLead, leavesOut }) => ({ name, settings, claimLead, leavesOut })),
    failures: failures.map((failure) => failureLines([failure])),
    thresholds,
    rows,
  });
  await change(RUNS, { ...stamp(), runs });
}

/** Writes one part to the same files and leaves the others unchanged: the rounds to results/runs.json. */
export async function writePart(
  results: string,
  part: Part,
  { options, thresholds, rounds }: { options: object; thresholds: Threshold[]; rounds: object[] },
): Promise<void> {
  await change(fileOf(results), { [part]: { ...stamp(), options, thresholds } });
  await change(RUNS, { [part]: { ...stamp(), rounds } });
}

const fileOf = (results: string) => join(FOLDER, `${results}.json`);
const RUNS = fileOf("runs");

async function change(file: string, changed: object): Promise<void> {
  const former = await readFile(file, "utf8").catch(() => "{}");
  await mkdir(FOLDER, { recursive: true });
  await writeFile(`${file}.tmp`, `${JSON.stringify({ ...JSON.parse(former), ...changed }, null, 2)}\n`);
  await rename(`${file}.tmp`, file);
}

function stamp() {
  const machine = {
    cpu: cpus()[0]?.model,
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
  };
  return { at: new Date().toISOString(), machine };
}
