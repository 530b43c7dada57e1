import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { COMPILE_CACHE } from "../../helpers/compile-cache.ts";

export type ScriptProcess = {
  child: ChildProcess;
  stdout: string[];
  stderr: string[];
  exited: Promise<number | null>;
};

const PROJECT = fileURLToPath(new URL("../../..", import.meta.url));

/** Runs Node.js in `folder`, the project's by default, with only these settings, and collects the lines it writes. */
export function runNode(args: string[], settings: Record<string, string> = {}, folder = PROJECT): ScriptProcess {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    // biome-ignore lint/style/noProcessEnv: programs are found by it
    env: { NODE_ENV: "test", PATH: process.env.PATH, HOME: process.env.HOME, ...COMPILE_CACHE, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lines = (stream: NodeJS.ReadableStream | null) => {
    const gathered: string[] = [];
    if (stream) createInterface(stream).on("line", (line) => gathered.push(line));
    return gathered;
  };
  return {
    child,
    stdout: lines(child.stdout),
    stderr: lines(child.stderr),
    exited: new Promise((resolve) => child.once("close", (code) => resolve(code))),
  };
}

/** Runs an npm command of the project in `folder`, as `runNode`. */
export function runScript(
  name: string,
  args: string[],
  settings: Record<string, string>,
  folder = PROJECT,
): ScriptProcess {
  return runNode(["scripts/run.mjs", name, ...args], settings, folder);
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
