import { type Delivery, DUE_ORDER } from "../delivery/delivery.ts";
import { TurnQueue } from "../runtime/turn-queue.ts";

/** Claimed deliveries that are due and wait for a connection to one origin. Accounts take turns, as before the claim. */
export class ReadyQueue extends TurnQueue<Delivery> {
  constructor() {
    super({
      groupOf: ({ place }) => place,
      ...DUE_ORDER,
      isWaiting: ({ state }) => state === "ready",
    });
  }
}
