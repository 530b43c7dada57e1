import type { Delivery } from "../delivery/delivery.ts";
import { Exchange, type ExchangeDeps } from "./exchange.ts";
import { DeadlinePassed } from "./exchange-failure.ts";

/** Deadlines are looked at ten times a second: a gap of more than this means that the event loop had no time. */
const BUSY_MS = 150;
/** A deadline that is over by more than this was missed because the process had stopped. */
const MISSED_MS = 100;

/** The requests that are on the wire, and their deadlines. */
export class Exchanges {
  readonly #deps: ExchangeDeps;
  readonly #open = new Set<Exchange>();
  readonly #onOver = (exchange: Exchange): void => {
    this.#open.delete(exchange);
  };
  #lookedAtMs = 0;

  constructor(deps: ExchangeDeps) {
    this.#deps = deps;
  }

  /** Sends a delivery that has its connection. */
  begin(delivery: Delivery): void {
    const exchange = new Exchange(this.#deps, delivery, this.#onOver);
    this.#open.add(exchange);
    exchange.begin();
  }

  /** Ends what has run out of time, and puts back what waits for a connection in vain. */
  runOnce(): void {
    const now = this.#deps.clock.monotonic();
    for (const exchange of this.#open) {
      const lateMs = now - exchange.deadlineMs;
      if (lateMs < 0) continue;
      // After a stop of the process an answer may lie in the socket already: it is read first.
      if (lateMs > MISSED_MS && !exchange.wasLate) exchange.wasLate = true;
      else exchange.abort(new DeadlinePassed());
    }
    // After a busy stretch of the event loop, too, answers are read before anybody is found to wait in vain.
    const wasBusy = now - this.#lookedAtMs > BUSY_MS;
    this.#lookedAtMs = now;
    if (!wasBusy) this.#deps.sendQueue.releaseLate();
  }

  /** How many requests are on the wire, those whose response is still read included. */
  count(): number {
    return this.#open.size;
  }
}
