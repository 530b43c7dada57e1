import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { COMPILE_CACHE } from "../../helpers/compile-cache.ts";

export type ScriptProcess = {
  child: ChildProcess;
  stdout: string[];
  stderr: string[];
  exited: Promise<number | null>;
};

/** Runs Node.js in the project's folder with only these settings, and collects the lines it writes. */
export function runNode(args: string[], settings: Record<string, string> = {}): ScriptProcess {
  const child = spawn(process.execPath, args, {
    cwd: new URL("../../..", import.meta.url),
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

export function runScript(name: string, args: string[], settings: Record<string, string>): ScriptProcess {
  return runNode(["scripts/run.mjs", name, ...args], settings);
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
