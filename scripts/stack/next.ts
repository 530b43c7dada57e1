import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { processEnv } from "#config.ts";

/** The path of Next.js's command-line program. */
export const NEXT = createRequire(import.meta.url).resolve("next/dist/bin/next");

/** Starts Next.js' program for production, whatever NODE_ENV the shell has: a build for another one fails. */
export function spawnNext(args: string[], { stdio }: { stdio: StdioOptions }): ChildProcess {
  const env = { ...processEnv(), NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" };
  return spawn(process.execPath, [NEXT, ...args], { env: env as NodeJS.ProcessEnv, stdio });
}
