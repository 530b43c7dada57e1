import { fileURLToPath } from "node:url";
import { startProgram } from "#scripts/lab/program.ts";
import type { Arrival, SocketCount } from "./evidence.ts";
import type { ReceiverCommand, ReceiverMessage } from "./receiver.ts";

export type ReceiverProcess = Awaited<ReturnType<typeof startReceiverProcess>>;

/** Starts the receiver in a process of its own. Resolves once it listens. */
export async function startReceiverProcess() {
  const { child, next, kill } = startProgram([PROGRAM], { name: "the receiver" });
  const arrivals: Arrival[] = [];
  const socketCounts: SocketCount[] = [];
  child.on("message", (message: ReceiverMessage) => {
    if (message.type === "sockets") socketCounts.push(message.count);
    else if (message.type === "arrivals") arrivals.push(...message.arrivals);
  });
  const { ports, ca } = await next((message: ReceiverMessage) => message.type === "listening");
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
      const finished = next((message: ReceiverMessage) => message.type === "finished");
      command({ type: "finish" });
      await finished;
    },
    stop: kill,
  };
}

const PROGRAM = fileURLToPath(new URL("./receiver.ts", import.meta.url));
