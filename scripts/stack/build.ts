import { spawn } from "node:child_process";
import { access, constants, mkdir, open, readdir, readFile, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { SetupError } from "../setup-error.ts";
import { type BuildState, findBuild, hashSources, stampBuild } from "./build-stamp.ts";
import { isRunning } from "./is-running.ts";
import { spawnNext } from "./next.ts";
import { findServing } from "./served.ts";

/**
 * Makes the production build of the web part if there is none, or if it was made from other sources. When several
 * processes need it at once, one builds and the others wait. `signal` ends the build. Throws a SetupError with the build's
 * output when it fails, and one that says so where this folder cannot be written.
 */
export async function buildWhenNeeded({ onLog, signal }: { onLog: (line: string) => void; signal?: AbortSignal }) {
  const found = await findBuild();
  if (found === "current") return;
  await assertWritable(found);
  const release = await acquireBuildLock(signal);
  try {
    if ((await findBuild()) === "current") return;
    await assertNotServed();
    await build({ onLog, signal });
  } finally {
    await release();
  }
}

/**
 * Acquires the lock for building on this machine; waits while another process has it. Returns how to release it. The lock of
 * a process that has ended does not count. `signal` ends the wait.
 */
async function acquireBuildLock(signal?: AbortSignal): Promise<() => Promise<void>> {
  await mkdir(dirname(LOCK_FILE), { recursive: true });
  for (;;) {
    const file = await open(LOCK_FILE, "wx").catch(unlessLocked);
    if (file) {
      await file.writeFile(String(process.pid));
      await file.close();
      return () => rm(LOCK_FILE, { force: true });
    }
    signal?.throwIfAborted();
    if (await isAbandoned()) await rm(LOCK_FILE, { force: true });
    else await new Promise((resolve) => setTimeout(resolve, CHECK_MS));
  }
}

// Not in .next: a build first clears that folder.
const LOCK_FILE = "node_modules/.cache/stopwatch-build";
const CHECK_MS = 250;
/** An older lock is abandoned: after a restart of the machine another process may have the same process id. */
const BUILD_MS_MAX = 600_000;

async function isAbandoned(): Promise<boolean> {
  const made = await stat(LOCK_FILE).catch(() => undefined);
  const pid = Number(await readFile(LOCK_FILE, "utf8").catch(() => ""));
  // The file is gone, or its process id is not written yet. Check again later.
  if (!made || !pid) return false;
  return Date.now() - made.mtimeMs > BUILD_MS_MAX || !isRunning(pid);
}

function unlessLocked(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "EEXIST") throw error;
}

async function assertWritable(found: BuildState): Promise<void> {
  for (const folder of [".", "node_modules", "sdk", "cli"]) {
    await access(folder, constants.W_OK).catch(({ code }: NodeJS.ErrnoException) => {
      const state = found === "missing" ? "is not built" : "was built from other sources";
      throw new SetupError(
        `The web part ${state}, and it cannot be built here: ${process.cwd()} cannot be written (${code}). Run "npm run build" where it can be written, and start that.`,
      );
    });
  }
}

/** A page that is open asks for files of the build that it came from. */
async function assertNotServed(): Promise<void> {
  const pid = await findServing();
  if (pid === undefined) return;
  throw new SetupError(
    `The web part was built from other sources, and process ${pid} serves that build from this folder. Stop it first, or build and start the new version in a folder of its own.`,
  );
}

async function build({ onLog, signal }: Parameters<typeof buildWhenNeeded>[0]) {
  await assertPatched();
  onLog("building the web part, which takes about half a minute and is done only after changes");
  const startedMs = Date.now();
  const sources = await hashSources();
  const { code, output } = await run(spawnNext(["build"], { stdio: ["ignore", "pipe", "pipe"] }), signal);
  signal?.throwIfAborted();
  if (code !== 0) throw new SetupError(`${output.trimEnd()}\nThe web part could not be built.`);
  await removeSettings();
  await stampBuild(sources);
  onLog(`built in ${Math.round((Date.now() - startedMs) / 1000)} s`);
}

/** The standalone output has a copy of the database driver, which must be the patched one. */
async function assertPatched(): Promise<void> {
  const check = spawn(process.execPath, ["scripts/apply-patches.mjs", "--check"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { code, output } = await run(check);
  if (code !== 0) throw new SetupError(output.trimEnd());
}

/** Next.js copies `.env`, which holds secrets, to the standalone output. */
async function removeSettings(): Promise<void> {
  const names = await readdir(".next/standalone");
  const settings = names.filter((name) => name.startsWith(".env"));
  await Promise.all(settings.map((name) => rm(`.next/standalone/${name}`)));
}

function run(child: ReturnType<typeof spawn>, signal?: AbortSignal): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const end = () => child.kill();
    signal?.addEventListener("abort", end, { once: true });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    }
    child.once("error", reject);
    child.once("close", (code) => {
      signal?.removeEventListener("abort", end);
      resolve({ code, output });
    });
  });
}
