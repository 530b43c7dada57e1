import type { FurtherSockets } from "./address-race.ts";
import type { Dialer, OpenResult } from "./dialer.ts";
import { type ListenerRelay, listenerConnection } from "./listener-connection.ts";
import { isOfListeners } from "./routes.ts";

type Deps = { dialer: Dialer; relay: ListenerRelay; monotonic: () => number };

/**
 * Opens connections to targets, and the ways to listeners. Whether a listener is there that takes the request is decided
 * when the request is written, since it depends on its path.
 */
export class Opener {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** How many names are being resolved. */
  get resolving(): number {
    return this.#deps.dialer.resolving;
  }

  /** Opens one connection to what the key of the pool stands for, for an account. `further` counts sockets beyond its first. */
  async open(key: string, further: FurtherSockets, accountId: string): Promise<OpenResult> {
    const { dialer, relay, monotonic } = this.#deps;
    if (!isOfListeners(key)) return dialer.open(key, further, accountId);
    return { kind: "open", connection: listenerConnection(key, relay, monotonic()) };
  }
}
