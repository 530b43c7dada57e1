import { type Delivery, leavesBefore } from "../delivery/delivery.ts";
import { TurnQueue } from "../runtime/turn-queue.ts";

/**
 * Who waits for a connection to one origin before the claim. Accounts take turns, so that one that may have no more
 * connections, or has much that is overdue, holds up no other. Within an account the one that is due first goes first.
 */
export class WaitingQueue extends TurnQueue<Delivery> {
  constructor() {
    super({
      groupOf: ({ place }) => place,
      dueMs: ({ sendAtMs }) => sendAtMs,
      before: leavesBefore,
      isWaiting: ({ state }) => state === "awaiting connection",
    });
  }
}
