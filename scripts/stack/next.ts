import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { processEnv } from "#config.ts";

/** The path of Next.js's command-line program. */
export const NEXT = createRequire(import.meta.url).resolve("next/dist/bin/next");

/** Options of Node.js that turn the output of Next.js into JSON lines. */
export const JSON_LINES = ["--import", new URL("./json-lines.ts", import.meta.url).href];

/** Starts Next.js with this process's environment. `options` are options of Node.js. */
export function spawnNext(
  args: string[],
  { stdio, options = [] }: { stdio: StdioOptions; options?: string[] },
): ChildProcess {
  const env: Record<string, string | undefined> = { ...processEnv(), NEXT_TELEMETRY_DISABLED: "1" };
  return spawn(process.execPath, [...options, NEXT, ...args], { env: env as NodeJS.ProcessEnv, stdio });
}
