import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { processEnv } from "#config.ts";

/** The command line program of Next.js, for Node.js to run. */
export const NEXT = createRequire(import.meta.url).resolve("next/dist/bin/next");

/** Options of Node.js under which what Next.js writes is JSON, as the log is. */
export const JSON_LINES = ["--import", new URL("./json-lines.ts", import.meta.url).href];

/** Starts Next.js with our environment; `options` are those of Node.js. */
export function spawnNext(
  args: string[],
  { stdio, options = [] }: { stdio: StdioOptions; options?: string[] },
): ChildProcess {
  const env: Record<string, string | undefined> = { ...processEnv(), NEXT_TELEMETRY_DISABLED: "1" };
  return spawn(process.execPath, [...options, NEXT, ...args], { env: env as NodeJS.ProcessEnv, stdio });
}
