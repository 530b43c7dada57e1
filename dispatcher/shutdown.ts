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

/**
 * Stops a dispatcher. It claims nothing more, sends or puts back what it has claimed, hands its shards over, and waits
 * until every request on the wire is recorded. Takes at most 35 s.
 */
export async function shutDown(parts: Parts, lifecycle: Lifecycle): Promise<void> {
  const { shards, claimer, preparer, sendQueue, releases, deliveries, recorder, clock, outageLog } = parts;
  const startedAtMs = clock.monotonic();
  const leftMs = () => DEADLINE_MS - (clock.monotonic() - startedAtMs);

  lifecycle.stopReading();
  parts.intake.stop();
  parts.dueQueue.stop();
  parts.rates.stop();
  shards.stop();
  claimer.stop();
  parts.noticeSender.stop();
  parts.operations.stop();
  parts.recurrences.stop();
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
  recorder.stop();
  parts.pool.close();
  await Promise.allSettled([lifecycle.notifications.close(), parts.alarm.close(), parts.billingUpkeep.close()]);
  await parts.databases.close();
}

/** Deliveries whose claim has not been sent or answered yet. */
const unclaimedOf = ({ deliveries }: Parts): number =>
  deliveries.count("admitted", "refused", "claiming", "claiming refused");

/** Claimed requests that have not left. */
export const unsentOf = ({ deliveries }: Parts): number => deliveries.count("claimed", "prepared", "ready");

/** Requests on the wire that have no outcome yet. */
export const onTheWire = ({ deliveries }: Parts): number => deliveries.count("writing", "sent");
