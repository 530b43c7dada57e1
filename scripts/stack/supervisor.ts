import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** A child process: Node.js with these arguments. `stopMsMax` is how long it may take to end after SIGTERM, ms. */
export type Part = { name: string; args: string[]; env: Record<string, string | undefined>; stopMsMax: number };

export type Supervisor = {
  /** Resolves when a part ends before `stop` was called, with its name and how it ended. */
  ended: Promise<{ name: string; how: string }>;
  /** Stops the parts one after the other, in the order in which they were given. */
  stop(): Promise<void>;
  /** Kills all parts at once. */
  kill(): void;
};

/**
 * Starts the parts and passes each line that they write to `onLine`. Each part leads a process group of its own, so
 * that the terminal's Ctrl-C reaches only this process, which stops them in order. Each part also has an IPC channel to
 * this process; when the channel closes, the part knows that this process was killed.
 */
export function supervise(parts: Part[], onLine: (name: string, line: string) => void): Supervisor {
  let stopping = false;
  const { promise: ended, resolve: reportEnd } = Promise.withResolvers<{ name: string; how: string }>();
  const running = parts.map((part) => {
    const started = startPart(part, onLine);
    void started.exited.then((how) => {
      if (!stopping) reportEnd({ name: part.name, how });
    });
    return started;
  });

  return {
    ended,
    async stop() {
      stopping = true;
      for (const part of running) await part.stop();
    },
    kill() {
      stopping = true;
      for (const part of running) part.kill();
    },
  };
}

function startPart(part: Part, onLine: (name: string, line: string) => void) {
  const child = spawn(process.execPath, part.args, {
    detached: process.platform !== "win32",
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: part.env as NodeJS.ProcessEnv,
    windowsHide: true,
  });
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) createInterface(stream).on("line", (line) => onLine(part.name, line));
  }
  const exited = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal ? `signal ${signal}` : `exit code ${code}`));
  });
  const kill = () => killGroup(child);

  return {
    exited,
    kill,
    async stop() {
      child.kill("SIGTERM");
      const timer = setTimeout(kill, part.stopMsMax);
      await exited;
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
