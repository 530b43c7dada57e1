import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Arrival } from "./evidence.ts";
import type { ReceiverMessage } from "./receiver.ts";

export type ReceiverProcess = Awaited<ReturnType<typeof startReceiverProcess>>;

/** Starts the receiver as a process of its own; resolves when it listens. */
export async function startReceiverProcess() {
  const child = fork(PROGRAM, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const exited = once(child, "exit");
  const arrivals: Arrival[] = [];
  const listening = Promise.withResolvers<{ ports: number[]; ca: string }>();
  const finished = Promise.withResolvers<void>();
  child.on("message", (message: ReceiverMessage) => {
    if (message.type === "listening") listening.resolve(message);
    else if (message.type === "finished") finished.resolve();
    else arrivals.push(message.arrival);
  });
  const lost = exited.then(([code, signal]): never => {
    throw new Error(`the receiver ended unexpectedly (${signal ?? `exit code ${code}`})`);
  });
  lost.catch(() => {});
  const { ports, ca } = await Promise.race([listening.promise, lost]);
  return {
    ports,
    /** PEM of the authority that signed its certificate. */
    ca,
    /** Requests that are over. */
    arrivals,
    /** Breaks what is still open, and tells of it. */
    async finish() {
      child.send("finish");
      await Promise.race([finished.promise, lost]);
    },
    async stop() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

const PROGRAM = fileURLToPath(new URL("./receiver.ts", import.meta.url));
