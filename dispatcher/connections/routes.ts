import { LISTEN_ORIGIN } from "#domain/listen-origin.ts";
import { type Delivery, placeOf } from "../delivery/delivery.ts";

/** A live listener that takes every test delivery of its account, or those under some paths. */
type CatchAll = { accountId: string; paths: readonly string[] };

const LISTENERS = "listeners:";

/** The key under which connections to the listeners of an account are pooled; of a target's connections it is the origin. */
const listenersOf = (accountId: string): string => `${LISTENERS}${accountId}`;

/** Whether a key of the pool stands for the listeners of an account. */
export const isOfListeners = (key: string): boolean => key.startsWith(LISTENERS);

/** Decides which deliveries go to a listener of their account instead of a connection to their target. */
export class Routes {
  #catchAlls: ReadonlyMap<string, CatchAll[]> = new Map();

  /** Replaces what is known of the listeners of scope `all`. */
  update(all: readonly CatchAll[]): void {
    this.#catchAlls = Map.groupBy(all, ({ accountId }) => accountId);
  }

  /** Sets where `delivery` goes. Call it only while the delivery holds and wants no connection. */
  route(delivery: Delivery): void {
    if (delivery.env !== "test") return;
    const isListened = delivery.targetOrigin === LISTEN_ORIGIN || this.#isCaught(delivery);
    const origin = isListened ? listenersOf(delivery.accountId) : delivery.targetOrigin;
    if (origin === delivery.origin) return;
    delivery.via = isListened ? "listener" : null;
    delivery.origin = origin;
    delivery.place = placeOf(delivery.accountId, origin);
  }

  #isCaught({ accountId, path }: Delivery): boolean {
    const catchAlls = this.#catchAlls.get(accountId) ?? [];
    return catchAlls.some(({ paths }) => paths.length === 0 || paths.some((prefix) => path?.startsWith(prefix)));
  }
}
