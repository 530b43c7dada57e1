import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Arrival, SocketCount } from "./evidence.ts";
import type { ReceiverOrigin } from "./origins.ts";
import type { ReceiverCommand, ReceiverMessage } from "./receiver.ts";

export type ReceiverProcess = Awaited<ReturnType<typeof startReceiverProcess>>;

/** Starts the receiver in a process of its own. Resolves once it listens. */
export async function startReceiverProcess() {
  const child = fork(PROGRAM, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const exited = once(child, "exit");
  const arrivals: Arrival[] = [];
  const socketCounts: SocketCount[] = [];
  const listening = Promise.withResolvers<{ ports: Record<ReceiverOrigin, number>; ca: string }>();
  const finished = Promise.withResolvers<void>();
  child.on("message", (message: ReceiverMessage) => {
    if (message.type === "listening") listening.resolve(message);
    else if (message.type === "finished") finished.resolve();
    else if (message.type === "sockets") socketCounts.push(message.count);
    else arrivals.push(...message.arrivals);
  });
  const lost = exited.then(([code, signal]): never => {
    throw new Error(`the receiver ended unexpectedly (${signal ?? `exit code ${code}`})`);
  });
  lost.catch(() => {});
  const { ports, ca } = await Promise.race([listening.promise, lost]);
  const command = (wanted: ReceiverCommand) => child.send(wanted);
  return {
    ports,
    /** PEM of the authority that signed its certificate. */
    ca,
    /** The requests that have ended. */
    arrivals,
    /** The connections of each origin, counted four times a second. */
    socketCounts,
    /** Leaves this adversary's requests to hanging targets unanswered from now on, until `release`. */
    hold: (group: string) => command({ type: "hold", group }),
    release: (group: string) => command({ type: "release", group }),
    /** Breaks the requests that are still open, and waits until they are reported. */
    async finish() {
      command({ type: "finish" });
      await Promise.race([finished.promise, lost]);
    },
    async stop() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

const PROGRAM = fileURLToPath(new URL("./receiver.ts", import.meta.url));
