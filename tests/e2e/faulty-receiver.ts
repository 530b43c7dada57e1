import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Arrival, ReceiverMessage } from "#scripts/demo/receiver.ts";

/*
 * A receiver for `npm run demo -- --receiver FILE`. It is the demo's own, but reports its second request as `spoil`
 * changes it, or not at all when that is null.
 */
export function runFaulty(spoil: (arrival: Arrival) => Arrival | null) {
  const child = fork(fileURLToPath(new URL("../../scripts/demo/receiver.ts", import.meta.url)));
  let arrivals = 0;
  child.on("message", (message: ReceiverMessage) => {
    if (message.type !== "arrival" || ++arrivals !== 2) return process.send?.(message);
    const arrival = spoil(message.arrival);
    if (arrival) process.send?.({ ...message, arrival });
  });
  child.once("exit", (code) => process.exit(code ?? 1));
  process.on("SIGINT", () => {});
  process.once("disconnect", () => child.disconnect());
}
