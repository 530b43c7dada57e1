import { type ChildProcess, spawn } from "node:child_process";
import type { Answer } from "./answer-memory.ts";
import { ANSWER_BYTES_MAX, answerText } from "./answer-text.ts";
import type { Delivery } from "./delivery.ts";
import { failureCode } from "./local-failure.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Runs a shell command for a delivery: the body on its stdin, headers and the rest as variables. Exit code 0 is 200, any
 * other, a signal included, 500 with what the command wrote as body. Never rejects. `signal` ends the command and what it
 * started. What it writes to stderr goes to `onStderr` as well.
 */
export function runCommand(
  command: string,
  delivery: Delivery,
  signal: AbortSignal,
  { env, onStderr }: { env: Variables; onStderr: (chunk: Buffer) => void },
): Promise<Answer> {
  return new Promise((resolve) => {
    const startedAtMs = performance.now();
    // A group of its own, so that what it started ends with it.
    const child = spawn(command, {
      shell: true,
      detached: process.platform !== "win32",
      env: { ...env, ...variablesOf(delivery) } as NodeJS.ProcessEnv,
      stdio: "pipe",
    });
    const written: Buffer[] = [];
    let bytes = 0;
    const keep = (chunk: Buffer) => {
      if (bytes < ANSWER_BYTES_MAX) written.push(chunk);
      bytes += chunk.length;
    };
    const end = () => endGroup(child);
    signal.addEventListener("abort", end, { once: true });
    const settle = (answer: Answer) => {
      signal.removeEventListener("abort", end);
      resolve(answer);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", (chunk: Buffer) => {
      keep(chunk);
      onStderr(chunk);
    });
    // A command that does not read its stdin closes it.
    child.stdin.on("error", () => {}).end(delivery.body);
    child.once("error", (error) => settle({ error: failureCode(error) }));
    child.once("close", (code) => {
      if (signal.aborted) return settle({ error: "ABORT_ERR" });
      const body = code === 0 ? undefined : (answerText(Buffer.concat(written)) ?? `exit code ${code}`);
      settle({ status: code === 0 ? 200 : 500, body, latency_ms: Math.round(performance.now() - startedAtMs) });
    });
  });
}

/**
 * `STOPWATCH_HEADER_<NAME>`, in capitals and with `_` for what is no letter or digit, and what a request has besides.
 * Not `HTTP_<NAME>`, as CGI has it: a header `Proxy` would then become HTTP_PROXY.
 */
function variablesOf({ headers, method, path, scheduleId, attempt }: Delivery): Record<string, string> {
  const named = headers.map(([name, value]) => [
    `STOPWATCH_HEADER_${name.toUpperCase().replace(/[^A-Z0-9]/g, "_")}`,
    value,
  ]);
  return {
    ...Object.fromEntries(named),
    STOPWATCH_METHOD: method,
    STOPWATCH_PATH: path,
    STOPWATCH_SCHEDULE_ID: scheduleId,
    STOPWATCH_ATTEMPT: String(attempt),
  };
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}
