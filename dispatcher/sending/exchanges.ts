import type { Delivery } from "../delivery/delivery.ts";
import { RUNTIME } from "../tuning/runtime.ts";
import { Exchange, type ExchangeDeps } from "./exchange.ts";
import { DeadlinePassed } from "./exchange-failure.ts";

/** Guards answers: if a deadline is past by more than this, the process was stopped meanwhile, ms. */
const MISSED_MS = 100;

/** The requests on the wire, and their deadlines. */
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

  /** Ends exchanges that have run out of time, and puts back claimed requests that found no connection in time. */
  runOnce(): void {
    const now = this.#deps.clock.monotonic();
    for (const exchange of this.#open) {
      const lateMs = now - exchange.deadlineMs;
      if (lateMs < 0) continue;
      // After the process was stopped, an answer may wait in the socket. Let it be read first.
      if (lateMs > MISSED_MS && exchange.mayReadOn()) continue;
      exchange.abort(new DeadlinePassed());
    }
    // After a busy stretch of the event loop, too, read answers before deciding that a request has waited too long.
    const wasBusy = now - this.#lookedAtMs > RUNTIME.busyGapMs;
    this.#lookedAtMs = now;
    if (!wasBusy) this.#deps.sendQueue.releaseLate();
  }

  /** How many requests are on the wire, including those whose response is still being read. */
  count(): number {
    return this.#open.size;
  }
}
