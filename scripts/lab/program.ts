import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

export type Program = ReturnType<typeof startProgram>;

type Options = Pick<SpawnOptions, "cwd" | "env"> & {
  /** What it is called when it ends unexpectedly. */
  name?: string;
  /** What gets its lines: this process's own streams, only the stream for errors, or a function. */
  output?: "both" | "errors" | ((line: string, stream: "stdout" | "stderr") => void);
  /** `advanced` lets messages have typed arrays. */
  serialization?: "json" | "advanced";
  /** Whether it is in a process group of its own, so that the terminal's Ctrl-C does not reach it. */
  isApart?: boolean;
};

/** Starts Node.js with `args` as a program that has an IPC channel to this process. */
export function startProgram(
  args: readonly string[],
  { name = args.at(-1), output = "both", isApart = false, ...options }: Options = {},
) {
  const [stdout, stderr] =
    typeof output === "function" ? ["pipe", "pipe"] : [output === "both" ? "inherit" : "ignore", "inherit"];
  const child: ChildProcess = spawn(process.execPath, args, {
    ...options,
    detached: isApart && process.platform !== "win32",
    stdio: ["ignore", stdout, stderr, "ipc"] as SpawnOptions["stdio"] & unknown[],
    windowsHide: true,
  });
  const exited = new Promise<string>((resolve) => {
    child.once("error", ({ message }) => resolve(message));
    child.once("exit", (code, signal) => resolve(signal ? `signal ${signal}` : `exit code ${code}`));
  });
  const reading: Promise<unknown>[] = [];
  if (typeof output === "function") {
    for (const stream of ["stdout", "stderr"] as const) {
      const lines = createInterface(child[stream] as Readable).on("line", (line) => output(line, stream));
      reading.push(once(lines, "close"));
    }
  }
  // Not its "close": that does not come after a disconnect by this process.
  const ended = Promise.all(reading).then(() => exited);
  let isStopping = false;
  const lost = new Promise<never>((_, reject) => {
    void ended.then((how) => isStopping || reject(new Error(`${name} ended unexpectedly (${how}).`)));
  });
  lost.catch(() => {});
  return {
    child,
    /** How it ended, once all that it wrote was read. */
    ended,
    /** Rejects when it ends before `stop` or `kill` was called. */
    lost,
    /** The next message that `isIt` holds for. Rejects when the program is lost. */
    next<Message, Wanted extends Message>(isIt: (message: Message) => message is Wanted): Promise<Wanted> {
      const { promise, resolve } = Promise.withResolvers<Wanted>();
      const take = (message: Message) => {
        if (!isIt(message)) return;
        child.off("message", take);
        resolve(message);
      };
      child.on("message", take);
      return Promise.race([promise, lost]);
    },
    /** Asks it to stop, kills it after `graceMs`, and waits until it has ended. */
    async stop(graceMs: number) {
      isStopping = true;
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), graceMs);
      await ended;
      clearTimeout(timer);
    },
    async kill() {
      isStopping = true;
      child.kill("SIGKILL");
      await ended;
    },
  };
}
