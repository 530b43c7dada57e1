import { startProgram } from "#scripts/lab/program.ts";
import { SetupError } from "#scripts/setup-error.ts";
import type { Arrival, ReceiverMessage } from "./receiver.ts";

/** Every request so far, with the id of its schedule. */
export type Arrivals = { id: string; arrival: Arrival }[];

export type ReceiverProcess = {
  port: number;
  /** The authority that signed its certificate, PEM. */
  ca: string;
  arrivals: Arrivals;
  /** Rejects when the receiver ends without `stop`. */
  lost: Promise<never>;
  stop(): Promise<void>;
};

/**
 * Runs a receiver program with an IPC channel. Over the channel it sends a `ReceiverMessage` when it listens, and one
 * for each request. Resolves when it listens. Throws a SetupError when it ends before that.
 */
export async function startReceiver(program: string): Promise<ReceiverProcess> {
  const { child, ended, lost, next } = startProgram([program], { name: "The receiver" });
  const arrivals: Arrivals = [];
  child.on("message", (message: ReceiverMessage) => message.type === "arrival" && arrivals.push(message));
  const listening = next((message: ReceiverMessage) => message.type === "listening");
  const { port, ca } = await listening.catch(({ message }) => {
    throw new SetupError(message);
  });
  return {
    port,
    ca,
    arrivals,
    lost,
    async stop() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
