import { type Delivery, DUE_ORDER } from "../delivery/delivery.ts";
import { TurnQueue } from "../runtime/turn-queue.ts";

/**
 * The deliveries that wait for a connection to one origin before their claim. Accounts take turns, so that an account
 * at its connection limit, or with many overdue deliveries, delays no other. Within an account the earliest due goes
 * first.
 */
export class WaitingQueue extends TurnQueue<Delivery> {
  constructor() {
    super({
      groupOf: ({ place }) => place,
      ...DUE_ORDER,
      isWaiting: ({ state }) => state === "awaiting connection",
      // Deliveries arrive here ahead of their instants, by the time that the remaining stages take.
      aheadMs: Number.POSITIVE_INFINITY,
    });
  }
}
