import { spawn } from "node:child_process";

export type Step = { code: number; output: string; seconds: number };

/** Runs a program and returns its end with all that it printed. `signal` ends it, with the processes that it started. */
export function childStep(program: string, args: readonly string[], signal: AbortSignal): Promise<Step> {
  const startedMs = performance.now();
  // A group of its own, so that what it started ends with it.
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], detached: true });
  const end = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
    } catch {
      // It has ended already.
    }
  };
  signal.addEventListener("abort", end, { once: true });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      signal.removeEventListener("abort", end);
      resolve({ code: code ?? 1, output, seconds: (performance.now() - startedMs) / 1_000 });
    });
  });
}
