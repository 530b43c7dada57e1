import type { Lifecycle } from "./lifecycle.ts";
import { until } from "./runtime/loop.ts";
import type { Parts } from "./wiring.ts";

/** How long claimed requests may take to leave, ms. The rest is put back. */
const CLAIMED_MS = 2_500;
const RELEASES_MS = 1_000;
/** How long to wait for a notice that is being sent. */
const NOTICE_MS = 2_000;
/** By then every request on the wire is recorded. */
const DEADLINE_MS = 34_000;

/** The parts that have this method. */
type PartsThat<Method extends "stop" | "close"> = {
  [Name in keyof Parts]: Parts[Name] extends Record<Method, () => unknown> ? Name : never;
}[keyof Parts];

/**
 * The parts that take things on. `stop` returns at once, and from then on the part takes on nothing more. They stop in this order. A part
 * with a `stop` that is not here does not compile.
 */
const STOPPED = inOrder<PartsThat<"stop">>({
  intake: true,
  dueQueue: true,
  rates: true,
  shards: true,
  claimer: true,
  noticeSender: true,
  operations: true,
  recurrences: true,
});

/**
 * The parts that hold something when all work is done. `close` gives it back, and resolves when it has. The databases, which others need
 * for that, are closed after them. A part with a `close` that is not here does not compile.
 */
const CLOSED = inOrder<Exclude<PartsThat<"close">, "databases">>({
  recorder: true,
  pool: true,
  alarm: true,
  billingUpkeep: true,
});

/**
 * Stops a dispatcher. It claims nothing more, sends or puts back what it has claimed, hands its shards over, and waits
 * until every request on the wire is recorded. Takes at most 35 s.
 */
export async function shutDown(parts: Parts, lifecycle: Lifecycle): Promise<void> {
  const { shards, preparer, sendQueue, releases, deliveries, recorder, clock, outageLog } = parts;
  const startedAtMs = clock.monotonic();
  const leftMs = () => DEADLINE_MS - (clock.monotonic() - startedAtMs);

  lifecycle.stopReading();
  for (const name of STOPPED) parts[name].stop();
  await until(() => unclaimedOf(parts) + unsentOf(parts) === 0, CLAIMED_MS);
  for (const delivery of preparer.takeAll()) deliveries.move(delivery, "releasing");
  sendQueue.releaseAll();
  await until(() => releases.count() === 0, RELEASES_MS);
  await shards.handOver().catch(outageLog.report);
  await until(() => onTheWire(parts) === 0, leftMs());
  // If this cuts a notice off, the next dispatcher sends it again with the same idempotency key.
  await until(() => !parts.noticeSender.isSending(), Math.min(NOTICE_MS, leftMs()));
  await until(() => recorder.pending() === 0, leftMs());

  lifecycle.stop();
  await Promise.allSettled([...CLOSED.map((name) => parts[name].close()), lifecycle.notifications.close()]);
  await parts.databases.close();
}

/** Deliveries whose claim has not been sent or answered yet. */
const unclaimedOf = ({ deliveries }: Parts): number =>
  deliveries.count("admitted", "refused", "claiming", "claiming refused");

/** Claimed requests that have not left. */
export const unsentOf = ({ deliveries }: Parts): number => deliveries.count("claimed", "prepared", "ready");

/** Requests on the wire that have no outcome yet. */
export const onTheWire = ({ deliveries }: Parts): number => deliveries.count("writing", "sent");

/** The names of a record in their order. The type asks for all of them. */
function inOrder<Name extends string>(names: Record<Name, true>): Name[] {
  return Object.keys(names) as Name[];
}
