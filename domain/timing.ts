/** How far ahead the dispatcher reads due schedules, ms. Reading claims nothing. */
export const PREFETCH_HORIZON_MS = 4_000;

/** A schedule created or moved to within this time is announced by NOTIFY, ms: the prefetch horizon and two polls. */
export const NOTIFY_HORIZON_MS = PREFETCH_HORIZON_MS + 2_000;

/** A claim is made at most this long before its request is sent, ms. */
export const CLAIM_AHEAD_MAX_MS = 250;

/** Timeout of an attempt, from just before its claim statement to the response's status line, ms. */
export const ATTEMPT_DEADLINE_MS = 30_000;

/**
 * The time that a schedule's own timeout leaves from the claim to the first byte, ms. That timeout counts from the first
 * byte, so that a slow claim does not shorten it.
 */
export const LEAVING_MS = 5_000;

/** The longest that an attempt takes from its claim on, ms, with a timeout of its own or without. */
export const attemptMaxMs = (timeoutMs: number = ATTEMPT_DEADLINE_MS): number =>
  Math.min(timeoutMs + LEAVING_MS, ATTEMPT_DEADLINE_MS);

/** What a claim's lease has beyond the longest attempt, for recording, ms. */
export const RECORDING_MS = 5_000;

/** The longest lease of a claim, ms: that of a schedule without a timeout of its own. */
export const CLAIM_LEASE_MS = ATTEMPT_DEADLINE_MS + RECORDING_MS;

/** Timeout for name resolution, TCP and TLS of one connection, ms. */
export const CONNECT_DEADLINE_MS = 10_000;

/**
 * The longest that a delivery waits, from its instant, because the dispatcher's machine has no network, name servers or
 * sockets, ms. Then it counts as a failed attempt, so that a fault that lasts, or that was not the machine's, shows.
 */
export const OWN_FAULT_WAIT_MAX_MS = 3_600_000;

/** Lease of a shard, ms; renewed every third of it. */
export const SHARD_LEASE_MS = 6_000;

/** A shard is taken over this long after its lease ended, ms: its former owner sent nothing in that second. */
export const TAKEOVER_PAUSE_MS = 1_000;

/** A dispatcher with a heartbeat within this time is shown as alive, ms. */
export const DISPATCHER_ALIVE_MS = 15_000;

/** A dispatcher with a heartbeat within this time gets a share of the shards, ms; two heartbeats may be missed. */
export const DISPATCHER_COUNTED_MS = 5_000;

/** Age from which a dispatcher is settled, ms: others release shards for it. */
export const DISPATCHER_SETTLED_MS = 5_000;
