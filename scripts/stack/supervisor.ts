import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { aborted } from "../aborted.ts";
import { keepRunning, type Running } from "./keep-running.ts";

/** A child process: Node.js with these arguments. `stopMsMax` is how long it may take to end after SIGTERM, ms. */
export type Part = { name: string; args: string[]; env: Record<string, string | undefined>; stopMsMax: number };

export type Supervisor = {
  /** Resolves when a part is not started again, with a sentence that says why. */
  givenUp: Promise<string>;
  /** Stops the parts one after the other, in the order in which they were given. */
  stop(): Promise<void>;
  /** Kills all parts at once. */
  kill(): void;
};

type Options = {
  onLine: (name: string, line: string) => void;
  onLog: (line: string) => void;
  /** Whether a part that ends now is started again. */
  mayRestart: () => boolean;
  /** What a part waits for before it is started again. */
  untilStartable?: () => Promise<void>;
};

/**
 * Starts the parts, passes each line that they write to `onLine`, and starts those again that end (`keepRunning`). Each part
 * leads a process group of its own, so that the terminal's Ctrl-C reaches only this process, which stops them in order. Each
 * part also has an IPC channel to this process; when the channel closes, the part knows that this process was killed.
 */
export function supervise(
  parts: Part[],
  { onLine, onLog, mayRestart, untilStartable = async () => {} }: Options,
): Supervisor {
  const kept = parts.map((part) =>
    keepRunning(startPart(part, onLine), {
      name: `The ${part.name}`,
      async start(signal) {
        await Promise.race([untilStartable(), aborted(signal)]);
        return startPart(part, onLine);
      },
      mayRestart,
      advice: "correct what its lines above name, and run this again",
      onLog,
    }),
  );
  return {
    givenUp: Promise.race(kept.map(({ givenUp }) => givenUp)),
    async stop() {
      for (const part of kept) await part.stop();
    },
    kill() {
      for (const part of kept) part.kill();
    },
  };
}

function startPart(part: Part, onLine: Options["onLine"]): Running {
  const child = spawn(process.execPath, part.args, {
    detached: process.platform !== "win32",
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: part.env as NodeJS.ProcessEnv,
    windowsHide: true,
  });
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) createInterface(stream).on("line", (line) => onLine(part.name, line));
  }
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal ? `signal ${signal}` : `exit code ${code}`));
  });
  const kill = () => killGroup(child);

  return {
    ended,
    kill,
    async stop() {
      child.kill("SIGTERM");
      const timer = setTimeout(kill, part.stopMsMax);
      await ended;
      clearTimeout(timer);
      kill();
    },
  };
}

// Kill the group, because a part may have child processes.
function killGroup(child: ChildProcess) {
  if (child.pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? child.pid : -child.pid, "SIGKILL");
  } catch {
    // The group has no process left.
  }
}
