import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { cpus, release, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BenchOptions } from "./bench.ts";
import type { Engine } from "./engine.ts";
import type { Row, Run } from "./report.ts";
import type { Threshold } from "./thresholds.ts";

const FOLDER = fileURLToPath(new URL("./results/", import.meta.url));

/** The parts that are measured by themselves, beside the deliveries. */
export type Part = "writes" | "costs" | "listening" | "reads" | "pages" | "retention";

/**
 * Writes the deliveries to results/latest.json: the machine, the settings, the thresholds, medians and spread, and
 * every run.
 */
export async function writeResults(
  { rounds, seconds, backlog, overdue, seed }: BenchOptions,
  engines: readonly Engine[],
  found: { thresholds: Threshold[]; rows: Row[]; runs: Run[] },
): Promise<void> {
  const { writes, costs, listening, reads, pages, retention } = await readLatest();
  await save({
    ...stamp(),
    options: { rounds, seconds, backlog, overdue, seed },
    engines: engines.map(({ name, settings, claimLead, leavesOut }) => ({ name, settings, claimLead, leavesOut })),
    ...found,
    ...(writes !== undefined && { writes }),
    ...(costs !== undefined && { costs }),
    ...(listening !== undefined && { listening }),
    ...(reads !== undefined && { reads }),
    ...(pages !== undefined && { pages }),
    ...(retention !== undefined && { retention }),
  });
}

/** Writes one part to results/latest.json and leaves the others unchanged. */
export async function writePart(
  part: Part,
  found: { options: object; thresholds: Threshold[]; rounds: object[] },
): Promise<void> {
  await save({ ...(await readLatest()), [part]: { ...stamp(), ...found } });
}

const LATEST = join(FOLDER, "latest.json");

async function readLatest(): Promise<Record<string, unknown>> {
  const text = await readFile(LATEST, "utf8").catch(() => "{}");
  return JSON.parse(text);
}

async function save(result: object): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  await writeFile(`${LATEST}.tmp`, `${JSON.stringify(result, null, 2)}\n`);
  await rename(`${LATEST}.tmp`, LATEST);
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
