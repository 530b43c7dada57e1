import type { Dispatcher } from "#dispatcher/dispatcher.ts";

/**
 * Stops a dispatcher. Throws when one of its counters was wrong before or after: every counter must equal what its
 * deliveries hold, whatever the test did to it.
 */
export async function stopAudited(dispatcher: Dispatcher): Promise<void> {
  const before = await dispatcher.auditDeliveries();
  await dispatcher.stop();
  const drift = [...before, ...(await dispatcher.auditDeliveries())];
  if (drift.length > 0) throw new Error(`the counters of a dispatcher drifted:\n${drift.join("\n")}`);
}
