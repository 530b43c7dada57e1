import { type Delivery, DUE_ORDER } from "../delivery/delivery.ts";
import { TurnQueue } from "../runtime/turn-queue.ts";

/**
 * Claimed and due deliveries that wait for a connection to one origin. Accounts take turns, as they do before the
 * claim.
 */
export class ReadyQueue extends TurnQueue<Delivery> {
  constructor() {
    super({
      groupOf: ({ place }) => place,
      ...DUE_ORDER,
      isWaiting: ({ state }) => state === "ready",
    });
  }
}
