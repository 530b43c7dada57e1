import { type ConnectFailure, outcomeOf } from "../delivery/connection.ts";
import type { Deliveries } from "../delivery/deliveries.ts";
import { type Origin, openOf } from "./origin.ts";

/**
 * Fails one delivery for which no connection could be opened: a claimed one, otherwise one that waits and is due at
 * `nowMs`. While `origin` has other connections, only a delivery that needs a new one fails. Returns whether one did.
 */
export function failOne(deliveries: Deliveries, origin: Origin, failure: ConnectFailure, nowMs: number): boolean {
  const hasOthers = openOf(origin) > 0;
  const claimed = origin.readyForNew.take(nowMs) ?? (hasOthers ? undefined : origin.ready.take(nowMs));
  if (claimed) {
    deliveries.end(claimed, outcomeOf(failure));
    return true;
  }
  for (const waiting of hasOthers ? [origin.waitingForNew] : [origin.waitingForNew, origin.waiting]) {
    const next = waiting.take(nowMs, ({ sendAtMs }) => sendAtMs <= nowMs);
    if (!next) continue;
    next.failure = failure;
    deliveries.move(next, "refused");
    return true;
  }
  return false;
}

/** Moves every delivery that waits for a connection to `origin` back to "known", to be tried again later. */
export function tryLater(deliveries: Deliveries, origin: Origin): void {
  for (const waiting of [origin.waiting, origin.waitingForNew]) {
    for (const delivery of waiting.clear()) deliveries.move(delivery, "known");
  }
}
