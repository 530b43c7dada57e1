import type { Connection as Database } from "#db/client.ts";
import { beatDispatcher, releaseShards, renewShards, stopDispatcher, takeShards } from "#db/queries/shard-leases.ts";
import { SHARD_LEASE_MS } from "#domain/timing.ts";

const SHARDS = 64;
/** A lease counts as over this much before it is, ms. */
const SAFETY_MS = 100;
const DEADLINE_MS = 2_000;

type Lease = { epoch: number; untilMs: number; wallUntilMs: number };

/**
 * The shards this dispatcher owns. Leases are renewed in the database and counted here from before the renewal was sent,
 * on the monotonic clock and on the wall clock, since a suspended machine stops the first.
 */
export function createShards(deps: {
  database: Database;
  me: { id: string; host: string; pid: number; version: string };
  monotonic: () => number;
  wall: () => number;
  skewMs: () => number | null;
  /** Whether the database's clock has not stepped lately: its leases, and who beat when, say nothing after that. */
  isClockSettled: () => boolean;
  /** `sent`: first bytes of each lane that the former owner sent within a second before. */
  onTaken: (shards: { id: number; sent: Record<string, number> }[]) => void;
  onLost: (shards: number[]) => void;
  /** First bytes of each lane of a shard that left within the last second. */
  sentOf: (shard: number) => Record<string, number>;
}) {
  const leases = new Map<number, Lease>();
  let stopping = false;
  let handedOver = false;

  const holds = (shard: number) => {
    const lease = leases.get(shard);
    return lease !== undefined && deps.monotonic() < lease.untilMs && deps.wall() < lease.wallUntilMs;
  };
  const epochs = () => new Map([...leases].map(([id, lease]) => [id, lease.epoch]));

  const lose = (ids: number[]) => {
    for (const id of ids) leases.delete(id);
    if (ids.length > 0) deps.onLost(ids);
  };

  const release = async (ids: number[]) => {
    const given = ids.map((id) => ({ id, epoch: leases.get(id)?.epoch ?? -1 }));
    // From here on no first byte of theirs can leave: what has left is all that counts.
    lose(ids);
    const shards = given.map((one) => ({ ...one, sent: deps.sentOf(one.id) }));
    await deps.database.run(DEADLINE_MS, ({ sql }) => releaseShards(sql, deps.me.id, shards));
  };

  return {
    /** Whether a first byte for this shard may leave now. */
    holds,
    owned: () => [...leases.keys()].filter(holds),
    epochsOf: (shards: number[]) =>
      new Map([...new Set(shards)].map((id) => [id, leases.get(id)?.epoch ?? -1] as [number, number])),

    /** Beats, renews, and takes or gives up shards until each living dispatcher has its share. */
    async runOnce(): Promise<{ owned: number; alive: number }> {
      // A beat after the handover would make a dispatcher that is gone count as alive.
      if (handedOver) return { owned: 0, alive: 0 };
      const startedAt = deps.monotonic();
      const wallStartedAt = deps.wall();
      const until = () => ({
        untilMs: startedAt + SHARD_LEASE_MS - SAFETY_MS,
        wallUntilMs: wallStartedAt + SHARD_LEASE_MS - SAFETY_MS,
      });
      const alive = await deps.database.run(DEADLINE_MS, ({ sql }) =>
        beatDispatcher(sql, { ...deps.me, skewMs: deps.skewMs() }),
      );
      if (leases.size > 0) {
        const renewed = new Set(
          await deps.database.run(DEADLINE_MS, ({ sql }) => renewShards(sql, deps.me.id, epochs())),
        );
        lose([...leases.keys()].filter((id) => !renewed.has(id)));
        for (const lease of leases.values()) Object.assign(lease, until());
      }
      if (!stopping) {
        const share = Math.ceil(SHARDS / alive);
        const settled = deps.isClockSettled();
        if (leases.size > share && settled) await release([...leases.keys()].slice(share));
        if (leases.size < share) {
          const taken = await deps.database.run(DEADLINE_MS, ({ sql }) =>
            takeShards(sql, deps.me.id, share - leases.size, !settled),
          );
          for (const { id, epoch } of taken) leases.set(id, { epoch, ...until() });
          if (taken.length > 0) deps.onTaken(taken);
        }
      }
      return { owned: leases.size, alive };
    },

    /** Takes no more shards. */
    stop() {
      stopping = true;
    },

    /** Gives all shards up, for another dispatcher to take at once. */
    async handOver(): Promise<void> {
      stopping = true;
      handedOver = true;
      // First out of the count, so that the others find their new share in the shards that become free.
      await deps.database.run(DEADLINE_MS, ({ sql }) => stopDispatcher(sql, deps.me.id));
      if (leases.size > 0) await release([...leases.keys()]);
    },
  };
}

export type Shards = ReturnType<typeof createShards>;
