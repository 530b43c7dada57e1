import { spawn } from "node:child_process";
import { access, constants, readdir, rm } from "node:fs/promises";
import { SetupError } from "../setup-error.ts";
import { acquireBuildLock } from "./build-lock.ts";
import { type BuildState, findBuild, hashSources, stampBuild } from "./build-stamp.ts";
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
