/** How far ahead of an instant the dispatcher reads what falls due, ms. Rows only: nothing is claimed by reading. */
export const PREFETCH_HORIZON_MS = 4_000;

/** What falls due within this is announced by NOTIFY when it is created or moved, ms: the horizon and two polls. */
export const NOTIFY_HORIZON_MS = PREFETCH_HORIZON_MS + 2_000;

/** A claim is made at most this long before the instant its request is to leave, ms. */
export const CLAIM_AHEAD_MAX_MS = 250;

/** One attempt, from just before its claim was sent to its status line, ms. */
export const ATTEMPT_DEADLINE_MS = 30_000;

/** A claim's lease outlives its attempt's deadline by this, so that there is always time to record, ms. */
export const CLAIM_LEASE_MS = ATTEMPT_DEADLINE_MS + 5_000;

/** Name resolution, TCP and TLS of one connection, ms. */
export const CONNECT_DEADLINE_MS = 10_000;

/** Lease of a shard; it is renewed every third of it, ms. */
export const SHARD_LEASE_MS = 6_000;

/** A shard is taken over only this long after its lease ended: the last second of its former owner is then empty, ms. */
export const TAKEOVER_PAUSE_MS = 1_000;

/** A dispatcher with a heartbeat within this is shown as alive, ms. */
export const DISPATCHER_ALIVE_MS = 15_000;

/** A dispatcher with a heartbeat within this is given a share of the shards: two may be missed, ms. */
export const DISPATCHER_COUNTED_MS = 5_000;

/** A dispatcher that has lived for so long is settled: others give up shards for it, ms. */
export const DISPATCHER_SETTLED_MS = 5_000;
