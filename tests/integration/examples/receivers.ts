import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { processEnv } from "#config.ts";
import { NEXT } from "#scripts/stack/next.ts";
import { waitFor } from "../../helpers/wait-for.ts";

/** How an example is built and started, in a copy of its folder. */
export type Example = {
  name: string;
  /** What has to be installed besides the project: a program, or packages of `tests/runtimes`. */
  program?: string;
  modules?: string[];
  /** For an example in TypeScript: the package with the types of what it runs on. */
  types?: string;
  build?: string[];
  start: (port: number) => string[];
};

const NODE = process.execPath;
const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const RUNTIMES = join(ROOT, "tests/runtimes/node_modules");
const TSC = join(ROOT, "node_modules/.bin/tsc");
const WORKER = fileURLToPath(new URL("./serve-worker.ts", import.meta.url));

export const EXAMPLES: readonly Example[] = [
  {
    name: "nextjs",
    types: "node",
    build: [NODE, NEXT, "build"],
    start: (port) => [NODE, NEXT, "start", "--port", `${port}`],
  },
  { name: "hono", modules: ["hono", "@hono/node-server"], types: "node", start: () => [NODE, "server.ts"] },
  { name: "express", modules: ["express", "@types/express"], types: "node", start: () => [NODE, "server.ts"] },
  { name: "fastify", modules: ["fastify"], types: "node", start: () => [NODE, "server.ts"] },
  {
    name: "cloudflare-worker",
    modules: ["miniflare"],
    types: "@cloudflare/workers-types",
    start: () => [NODE, WORKER, join(RUNTIMES, "miniflare")],
  },
  { name: "python", program: "python3", start: () => ["python3", "receiver.py"] },
  { name: "go", program: "go", build: ["go", "build", "receiver.go"], start: () => ["./receiver"] },
  { name: "php", program: "php", start: (port) => ["php", "-S", `127.0.0.1:${port}`, "receiver.php"] },
  { name: "ruby", program: "ruby", start: () => ["ruby", "receiver.rb"] },
];

/** What an example lacks on this machine; undefined if it can run. */
export function missingFor({ program, modules = [] }: Example): string | undefined {
  if (program && spawnSync(program, ["--version"]).error) return program;
  return modules.find((module) => !existsSync(join(RUNTIMES, module)));
}

/** What the compiler finds wrong with an example, against the types of its framework and of the built SDK. */
export async function typeProblemsOf(example: Example): Promise<string> {
  const folder = await copyOf(example);
  const options = ["--strict", "--exactOptionalPropertyTypes", "--skipLibCheck", "--noEmit", "--ignoreConfig"];
  const target = ["--target", "es2024", "--lib", "es2024", "--module", "nodenext", "--types", example.types ?? ""];
  const sources = globSync("**/*.ts", { cwd: folder, exclude: ["node_modules"] });
  const { status, stdout } = spawnSync(TSC, [...options, ...target, ...sources], { cwd: folder, encoding: "utf8" });
  await rm(folder, { recursive: true });
  return status === 0 ? "" : stdout;
}

export type RunningExample = {
  /** The orders that it has reminded of, in the order in which it did. */
  reminded: () => string[];
  stop(): Promise<void>;
};

/** Copies an example, builds it, starts it with these secrets, and waits until it listens. */
export async function startExample(
  example: Example,
  port: number,
  secrets: { current: string; next: string },
): Promise<RunningExample> {
  const folder = await copyOf(example);
  const env: Record<string, string | undefined> = {
    PATH: processEnv().PATH,
    HOME: processEnv().HOME,
    LANG: "C.UTF-8",
    GOCACHE: join(folder, "go-cache"),
    PORT: `${port}`,
    STATE_FOLDER: join(folder, "states"),
    STOPWATCH_SECRET: secrets.current,
    STOPWATCH_SECRET_NEXT: secrets.next,
    NEXT_TELEMETRY_DISABLED: "1",
  };
  let output = "";
  let child: ChildProcess | undefined;
  const run = ([command = "", ...args]: string[]) => {
    const spawned = spawn(command, args, {
      cwd: folder,
      env: env as NodeJS.ProcessEnv,
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [spawned.stdout, spawned.stderr]) {
      stream.on("data", (chunk) => {
        output += chunk;
      });
    }
    child = spawned;
    return once(spawned, "exit");
  };
  let exit: Promise<unknown[]> = Promise.resolve([]);
  const stop = async () => {
    child?.kill();
    await exit;
    await rm(folder, { recursive: true });
  };
  const listens = async () => {
    if (child?.exitCode !== null) throw new Error("it has ended");
    const answer = await fetch(`http://127.0.0.1:${port}/hook`).catch(() => null);
    await answer?.body?.cancel();
    return answer !== null;
  };
  try {
    if (example.build && (await run(example.build))[0] !== 0) throw new Error("it could not be built");
    exit = run(example.start(port));
    await waitFor("it listens", listens, 30_000);
  } catch (error) {
    await stop();
    throw new Error(`the example ${example.name} did not start:\n${output}`, { cause: error });
  }
  return { reminded: () => Array.from(output.matchAll(/reminded of (\S+)/g), ([, order]) => order as string), stop };
}

/** A copy in the project's data folder, from where packages are found as they are from the example. */
async function copyOf({ name, modules }: Example): Promise<string> {
  const parent = join(ROOT, ".data/examples");
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(join(parent, `${name}-`));
  await cp(join(ROOT, "examples", name), folder, { recursive: true });
  if (modules) await symlink(RUNTIMES, join(folder, "node_modules"));
  // Next.js would take those of the project, which it finds above.
  if (name === "nextjs") {
    const config = `export default { turbopack: { root: ${JSON.stringify(ROOT)} } };`;
    await writeFile(join(folder, "next.config.mjs"), config);
    await writeFile(join(folder, "instrumentation.ts"), "export function register() {}");
  }
  return folder;
}
