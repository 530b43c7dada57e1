import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { startProgram } from "../../scripts/lab/program.ts";

export type WorkerProcess = {
  send(message: object): void;
  onMessage(listener: (message: { kind: string }) => void): void;
  /** Rejects when the process ends without having been stopped. */
  lost: Promise<never>;
  /** CPU time of all threads of the process, ms. */
  cpuMs(): number;
  /** Current and highest memory of the process, MB. */
  rssMb(): number;
  peakRssMb(): number;
  /** Asks the process to end, and kills it after `deadlineMs`. */
  stop(deadlineMs?: number): Promise<void>;
};

/** Starts `modulePath` as a process that ends with this one. */
export function startWorkerProcess(
  modulePath: string,
  options: { args?: string[]; cwd?: string; env?: NodeJS.ProcessEnv; execArgv?: string[] } = {},
): WorkerProcess {
  const { execArgv = [], args = [], cwd, env } = options;
  const program = startProgram([...execArgv, modulePath, ...args], {
    name: modulePath,
    cwd,
    env,
    serialization: "advanced",
    output: "errors",
  });
  const { child, lost } = program;
  return {
    send: (message) => void child.send(message),
    onMessage: (listener) => void child.on("message", (message) => listener(message as { kind: string })),
    lost,
    cpuMs: () => readCpuMs(child),
    rssMb: () => readMemoryMb(child, "VmRSS"),
    peakRssMb: () => readMemoryMb(child, "VmHWM"),
    stop: (deadlineMs = 10_000) => program.stop(deadlineMs),
  };
}

/** Starts the worker side of an engine (`work` of its module) and waits until it reports that it is ready. */
export async function startEngineWorker(engine: string, options: object): Promise<WorkerProcess> {
  const worker = startWorkerProcess(fileURLToPath(new URL("./engine-worker.ts", import.meta.url)));
  const ready = new Promise<void>((resolve) => worker.onMessage((message) => message.kind === "ready" && resolve()));
  worker.send({ kind: "start", engine, options });
  await Promise.race([ready, worker.lost]);
  return worker;
}

const TICK_MS = 10;

// proc_pid_stat(5): fields 14 and 15 are user and system time in ticks. The name in field 2 may contain any character.
function readCpuMs(child: ChildProcess): number {
  const stat = readFileSync(`/proc/${child.pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

function readMemoryMb(child: ChildProcess, field: "VmRSS" | "VmHWM"): number {
  const [, kib] = new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${child.pid}/status`, "utf8")) ?? [];
  return Number(kib) / 1024;
}
