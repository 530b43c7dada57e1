import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { processEnv } from "#config.ts";

/** The path of Next.js's command-line program. */
export const NEXT = createRequire(import.meta.url).resolve("next/dist/bin/next");

/** The process that serves the built web part, with the same options as `next start`. */
export const WEB_SERVER = fileURLToPath(new URL("./web-server.ts", import.meta.url));

/** Options of Node.js that turn the output of Next.js into JSON lines. */
export const JSON_LINES = ["--import", new URL("./json-lines.ts", import.meta.url).href];

/** Starts Next.js' program with this process's environment. */
export function spawnNext(args: string[], { stdio }: { stdio: StdioOptions }): ChildProcess {
  return spawnNode([NEXT, ...args], { stdio });
}

/** Starts what serves the built web part, with this process's environment. It writes JSON lines. */
export function spawnWebServer({ host, port }: { host: string; port: number }): ChildProcess {
  return spawnNode([...JSON_LINES, WEB_SERVER, "--hostname", host, "--port", String(port)], { stdio: "inherit" });
}

function spawnNode(args: string[], { stdio }: { stdio: StdioOptions }): ChildProcess {
  const env: Record<string, string | undefined> = { ...processEnv(), NEXT_TELEMETRY_DISABLED: "1" };
  return spawn(process.execPath, args, { env: env as NodeJS.ProcessEnv, stdio });
}
