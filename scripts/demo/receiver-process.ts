import { fork } from "node:child_process";
import { once } from "node:events";
import { SetupError } from "#scripts/setup-error.ts";
import type { Arrival, ReceiverMessage } from "./receiver.ts";

/** Every request so far, with the id of its schedule. */
export type Arrivals = { id: string; arrival: Arrival }[];

export type ReceiverProcess = {
  port: number;
  /** The authority that signed its certificate, PEM. */
  ca: string;
  arrivals: Arrivals;
  /** Resolves when the receiver ends without `stop`. */
  ended: Promise<string>;
  stop(): Promise<void>;
};

/**
 * Runs a receiver program with an IPC channel. Over the channel it sends a `ReceiverMessage` when it listens, and one
 * for each request. Resolves when it listens. Throws a SetupError when it ends before that.
 */
export async function startReceiver(program: string): Promise<ReceiverProcess> {
  const child = fork(program, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const exited = once(child, "exit");
  const arrivals: Arrivals = [];
  const listening = new Promise<{ port: number; ca: string }>((resolve) => {
    child.on("message", (message: ReceiverMessage) => {
      if (message.type === "listening") resolve(message);
      else arrivals.push(message);
    });
  });
  const ended = exited.then(([code, signal]) => `The receiver ended unexpectedly (${signal ?? `exit code ${code}`}).`);
  const first = await Promise.race([listening, ended]);
  if (typeof first === "string") throw new SetupError(first);
  return {
    port: first.port,
    ca: first.ca,
    arrivals,
    ended,
    async stop() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}
