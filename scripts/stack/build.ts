import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SetupError } from "../setup-error.ts";
import { acquireBuildLock } from "./build-lock.ts";
import { spawnNext } from "./next.ts";

/**
 * Makes the production build of the web part if there is none, or if a source file is newer. When several processes
 * need it at once, one builds and the others wait. `signal` ends the build. Throws a SetupError with the build's output
 * when it fails.
 */
export async function buildWhenNeeded({ onLog, signal }: { onLog: (line: string) => void; signal?: AbortSignal }) {
  if (await isBuilt()) return;
  const release = await acquireBuildLock(signal);
  try {
    if (!(await isBuilt())) await build({ onLog, signal });
  } finally {
    await release();
  }
}

// Next's own BUILD_ID is not enough: a file may have been edited during the build.
const STAMP = ".next/built-from";

async function build({ onLog, signal }: Parameters<typeof buildWhenNeeded>[0]) {
  onLog("building the web part, which takes about half a minute and is done only after changes");
  const startedMs = Date.now();
  const { code, output } = await runBuild(signal);
  signal?.throwIfAborted();
  if (code !== 0) throw new SetupError(`${output.trimEnd()}\nThe web part could not be built.`);
  await writeFile(STAMP, String(startedMs));
  onLog(`built in ${Math.round((Date.now() - startedMs) / 1000)} s`);
}

const SOURCES = [
  ...["app", "billing", "components", "db", "domain", "mail", "public", "server"],
  ...["config.ts", "instrumentation.ts", "next.config.ts", "package.json", "package-lock.json"],
  ...["postcss.config.mjs", "proxy.ts", "scripts/packages"],
  ...["sdk/src", "sdk/package.json", "sdk/tsconfig.json"],
];

async function isBuilt(): Promise<boolean> {
  const startedMs = Number(await readFile(STAMP, "utf8").catch(() => Number.NaN));
  for (const made of [".next/BUILD_ID", "sdk/dist"]) if (!(await stat(made).catch(() => undefined))) return false;
  const newestMs = Math.max(...(await Promise.all(SOURCES.map(newest))));
  return newestMs <= startedMs;
}

// Check folders too: their time is that of the last removal of a file.
async function newest(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return 0;
  if (!found.isDirectory()) return found.mtimeMs;
  const within = await readdir(path);
  return Math.max(found.mtimeMs, ...(await Promise.all(within.map((name) => newest(join(path, name))))));
}

function runBuild(signal?: AbortSignal): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawnNext(["build"], { stdio: ["ignore", "pipe", "pipe"] });
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
