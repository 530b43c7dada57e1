import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { UsageError } from "#scripts/command.ts";
import type { PlanOptions } from "./plan.ts";

type Patch = { file: string; find: string; replace: string };

/**
 * The guards, each of which can be removed from a copy of the code. The wait for the instant is checked twice, so
 * removing it takes two patches.
 */
export const BROKEN: Record<string, Patch[]> = {
  claim: [
    {
      file: "db/queries/schedules/claim.ts",
      find: '"w.id")} AND s.version = w.version\n      WHERE s.shard',
      replace: '"w.id")}\n      WHERE s.shard',
    },
  ],
  record: [
    {
      file: "db/queries/attempts/record.ts",
      find: "fence: sql`s.version = w.version AND s.status",
      replace: "fence: sql`s.status",
    },
  ],
  release: [
    {
      file: "dispatcher/delivery/holdings.ts",
      find: "add(this.connectionsByPlace, place, step(occupies(to)));",
      replace: "if (occupies(to)) add(this.connectionsByPlace, place, 1);",
    },
  ],
  // Gives the dispatchers a higher bound than the one that the run checks.
  connections: [
    {
      file: "tests/chaos/harness.ts",
      find: "PER_ORIGIN: String(BOUNDS.perAccountAndOrigin)",
      replace: "PER_ORIGIN: String(BOUNDS.perAccount)",
    },
  ],
  instant: [
    {
      file: "dispatcher/sending/send-queue.ts",
      find: "if (beginAtMs > nowMs) {",
      replace: "if (!beginAtMs) {",
    },
    { file: "dispatcher/sending/exchange.ts", find: "!lead.hold(this.#delivery) || ", replace: "" },
  ],
};

/**
 * Copies this folder, removes one guard from the copy and runs chaos there. Returns the exit code, which must not be 0.
 * Throws a UsageError when there is no guard with this name.
 */
export async function runBroken(what: string, options: PlanOptions): Promise<number> {
  const patches = BROKEN[what];
  if (!patches) throw new UsageError(`--break: one of ${Object.keys(BROKEN).join(", ")}`);
  const folder = await mkdtemp(join(tmpdir(), `stopwatch-without-${what}-`));
  try {
    for (const part of PARTS) await cp(join(ROOT, part), join(folder, part), { recursive: true });
    await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
    for (const patch of patches) await apply(folder, patch);
    console.log(
      `taken out: ${patches.map(({ file, find }) => `${file}: ${find.split("\n")[0]}`).join("\n           ")}`,
    );
    const { adversaries, faults, ...numbers } = options;
    const flags = Object.entries(numbers).flatMap(([name, value]) => [`--${name}`, String(value)]);
    flags.push("--adversaries", adversaries.join(",") || "none", ...(faults ? [] : ["--no-faults"]));
    const child = spawn(process.execPath, ["scripts/run.mjs", "chaos", ...flags], { cwd: folder, stdio: "inherit" });
    // The run in the copy ends by itself on the signal, and then this folder is deleted.
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
    const [code] = await once(child, "exit");
    return code ?? 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PARTS = ["config.ts", "package.json", "tsconfig.json", "db", "dispatcher", "domain", "scripts", "tests"];

async function apply(folder: string, { file, find, replace }: Patch) {
  const path = join(folder, file);
  const text = await readFile(path, "utf8");
  if (text.split(find).length !== 2) throw new Error(`${file} must contain this once: ${find}`);
  await writeFile(
    path,
    text.replace(find, () => replace),
  );
}
