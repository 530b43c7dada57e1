import { once } from "node:events";
import { Worker } from "node:worker_threads";

/** Starts hostile peers on a thread of their own. `identity` is for those whose handshake is an ordinary one. */
export async function startHostilePeers(identity: { cert: string; key: string }, kinds: readonly string[]) {
  const worker = new Worker(new URL("./thread.ts", import.meta.url), { workerData: { identity, kinds } });
  const [ports] = (await once(worker, "message")) as [Record<string, number>];
  const { holding, ...portsByKind } = ports as Record<string, number> & { holding: number };
  const ask = async (what: "held" | "answer"): Promise<number> => {
    worker.postMessage(what);
    return (await once(worker, "message"))[0];
  };
  return {
    /** The port of each kind. */
    ports: portsByKind,
    /** The port of the one that holds its requests. */
    holding,
    /** How many requests it holds. */
    held: () => ask("held"),
    /** Answers them all at once, with 500. */
    answer: () => ask("answer"),
    close: () => worker.terminate(),
  };
}
