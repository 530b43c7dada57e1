import { OWN_FAULT_WAIT_MAX_MS } from "#domain/timing.ts";
import { type ConnectFailure, type LocalFailure, outcomeOf } from "../delivery/connection.ts";
import type { Deliveries } from "../delivery/deliveries.ts";
import { ADMISSION } from "../tuning/admission.ts";
import type { Waiters } from "./waiters.ts";

/**
 * Fails one delivery for which no connection could be opened: a claimed one, otherwise one that waits and is due at
 * `nowMs`. While the origin has other connections, only a delivery that needs a new one fails. Returns whether one did.
 */
export function failOne(deliveries: Deliveries, waiters: Waiters, failure: ConnectFailure, nowMs: number): boolean {
  const hasOthers = waiters.origin.open > 0;
  const claimed = waiters.readyForNew.take(nowMs) ?? (hasOthers ? undefined : waiters.ready.take(nowMs));
  if (claimed) {
    deliveries.end(claimed, outcomeOf(failure));
    return true;
  }
  for (const waiting of hasOthers ? [waiters.waitingForNew] : [waiters.waitingForNew, waiters.waiting]) {
    const next = waiting.take(nowMs, ({ sendAtMs }) => sendAtMs <= nowMs);
    if (!next) continue;
    next.failure = failure;
    deliveries.move(next, "refused");
    return true;
  }
  return false;
}

/** The shortest and the longest pause between two tries, ms. Guards a machine that cannot connect. */
const PAUSE_MIN_MS = 250;
const PAUSE_MAX_MS = 5_000;
/** The pause is this share of the time for which it could not. Guards such a machine. */
const PAUSE_SHARE = 0.25;
/**
 * How many tries there are in a second when many origins fail. Guards such a machine: with pauses of 5 s at most, 5,000 origins took
 * 113 % of a core, and the database timed out; with this 20 %.
 */
const TRIES_PER_SECOND = 200;

/**
 * How long to wait before the next try to connect, after a failure of this machine, ms. `random`, from 0 to 1, spreads the
 * tries of many origins.
 */
export function pauseAfter({ forMs, among }: LocalFailure, random = Math.random()): number {
  const pauseMs = Math.min(Math.max(forMs * PAUSE_SHARE, PAUSE_MIN_MS), PAUSE_MAX_MS);
  return Math.max(pauseMs, (among / TRIES_PER_SECOND) * 1_000) * (0.75 + random / 2);
}

/**
 * Fails the unclaimed deliveries for which this machine could not connect to the origin for too long: since they are due, and since
 * it began to fail. All others wait on. While the origin has other connections, only those that need a new one fail.
 */
export function failOverdue(deliveries: Deliveries, waiters: Waiters, failure: LocalFailure, nowMs: number): void {
  if (failure.forMs < OWN_FAULT_WAIT_MAX_MS) return;
  const isOverdue = ({ sendAtMs }: { sendAtMs: number }) => nowMs - sendAtMs >= OWN_FAULT_WAIT_MAX_MS;
  const hasOthers = waiters.origin.open > 0;
  for (const waiting of hasOthers ? [waiters.waitingForNew] : [waiters.waitingForNew, waiters.waiting]) {
    for (let left = ADMISSION.atOnceMax; left > 0; left--) {
      const next = waiting.take(nowMs, isOverdue);
      if (!next) break;
      next.failure = failure;
      deliveries.move(next, "refused");
    }
  }
}

/** Moves every delivery that waits for a connection to the origin back to "known", to be tried again later. */
export function tryLater(deliveries: Deliveries, waiters: Waiters): void {
  for (const waiting of [waiters.waiting, waiters.waitingForNew]) {
    for (const delivery of waiting.clear()) deliveries.move(delivery, "known");
  }
}
