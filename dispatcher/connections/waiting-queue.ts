import { type Delivery, DUE_ORDER } from "../delivery/delivery.ts";
import { TurnQueue } from "../runtime/turn-queue.ts";

/**
 * Who waits for a connection to one origin before the claim. Accounts take turns, so that one that may have no more
 * connections, or has much that is overdue, holds up no other. Within an account the one that is due first goes first.
 */
export class WaitingQueue extends TurnQueue<Delivery> {
  constructor() {
    super({
      groupOf: ({ place }) => place,
      ...DUE_ORDER,
      isWaiting: ({ state }) => state === "awaiting connection",
      // They come here as long before their instants as all that follows takes.
      aheadMs: Number.POSITIVE_INFINITY,
    });
  }
}
