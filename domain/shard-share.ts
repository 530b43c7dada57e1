/** How many shards the accounts are divided into. */
export const SHARDS = 64;

/** A dispatcher gives up at most so many shards in one round: what is due in a shard waits a moment while it changes hands. */
const RELEASED_AT_ONCE = 16;
/** Free shards beyond everybody's share are taken after this, ms: others of the fleet come first for theirs. */
const LEFT_FREE_MS = 250;

/** The fleet as one dispatcher sees it. A dispatcher is settled once it has lived for `DISPATCHER_SETTLED_MS`. */
export type FleetView = {
  isSettled: boolean;
  /** Other dispatchers that are alive, and those of them that are settled. */
  others: number;
  settledOthers: number;
  /** Shards of its own. */
  owned: number;
  /** Shards that were given up, or whose lease is over. */
  free: number;
  /** For how long some have been free, ms. */
  freeForMs: number;
};

/**
 * How many shards a dispatcher takes and gives up now. Shards are divided among the settled dispatchers, and among all
 * that are alive while none is settled: one that dies again and again takes and is given nothing. Nobody gives up a shard
 * while others are free. What is free beyond everybody's share is taken at once all the same, and given back later.
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

/** When a dispatcher looks again at shards that it left free for others, ms. */
export const LOOK_AGAIN_MS = LEFT_FREE_MS;
