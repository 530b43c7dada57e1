import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { processEnv } from "#config.ts";

/** The path of Next.js's command-line program. */
export const NEXT = createRequire(import.meta.url).resolve("next/dist/bin/next");

/** Starts Next.js' program with this process's environment. */
export function spawnNext(args: string[], { stdio }: { stdio: StdioOptions }): ChildProcess {
  const env: Record<string, string | undefined> = { ...processEnv(), NEXT_TELEMETRY_DISABLED: "1" };
  return spawn(process.execPath, [NEXT, ...args], { env: env as NodeJS.ProcessEnv, stdio });
}
