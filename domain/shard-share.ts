/** How many shards the accounts are divided into: a power of two. The migrations repeat it; changing it needs one. */
export const SHARDS = 64;

/** The owner of this shard does the work that only one process of the fleet may do. */
export const FLEET_SHARD = 0;

/**
 * How many shards a dispatcher gives up in one round at most: deliveries of a shard wait a moment while it changes
 * hands.
 */
const RELEASED_AT_ONCE = 16;
/**
 * Free shards beyond a dispatcher's share are left to the others for this long, ms. On a busy machine a dispatcher needs
 * over a quarter of a second to take its share; if another takes it first, the shards are given back and forth.
 */
const LEFT_FREE_MS = 1_000;

/** The fleet as one dispatcher sees it. A dispatcher is settled when it has been alive for `DISPATCHER_SETTLED_MS`. */
export type FleetView = {
  isSettled: boolean;
  /** Other dispatchers that are alive, and those of them that are settled. */
  others: number;
  settledOthers: number;
  /** Shards that this dispatcher owns. */
  owned: number;
  /** Shards that were released or whose lease has expired. */
  free: number;
  /** For how long there have been free shards, ms. */
  freeForMs: number;
};

/**
 * How many shards a dispatcher takes and gives up now. The shards are divided among the settled dispatchers; while none
 * is settled, among all that are alive. So a dispatcher that dies again and again takes none and is given none. Nobody
 * gives up a shard while others are free. Free shards beyond everybody's share are taken after `LEFT_FREE_MS` all the
 * same, and given back later.
 */
export function shardMoves(fleet: FleetView): { take: number; release: number } {
  const { isSettled, others, settledOthers, owned, free, freeForMs } = fleet;
  if (!isSettled && settledOthers > 0) return { take: 0, release: 0 };
  const members = isSettled ? settledOthers + 1 : others + 1;
  const share = Math.ceil(SHARDS / members);
  return {
    take: freeForMs >= LEFT_FREE_MS ? free : Math.min(free, Math.max(share - owned, 0)),
    release: free > 0 || settledOthers === 0 ? 0 : Math.min(Math.max(owned - share, 0), RELEASED_AT_ONCE),
  };
}

/** After how long a dispatcher looks again at shards that it left free for others, ms. */
export const LOOK_AGAIN_MS = 250;
