import type { BeatingDispatcher, FleetCounts, TakenShard } from "#db/queries/fleet/shard-leases.ts";
import type { Incarnation } from "#domain/incarnation.ts";
import { SHARDS } from "#domain/shard-share.ts";
import { DISPATCHER_COUNTED_MS, DISPATCHER_SETTLED_MS, SHARD_LEASE_MS, TAKEOVER_PAUSE_MS } from "#domain/timing.ts";
import type { Store } from "./store.ts";

type Shard = {
  id: number;
  epoch: number;
  owner: string | null;
  sent: Record<string, number>;
  recoveredToMs: number | null;
};
type Dispatcher = {
  startedAtMs: number;
  beatAtMs: number;
  beat: number;
  isStopped: boolean;
  recoveredToMs: number | null;
};

export const INCARNATION: Incarnation = { systemIdentifier: "1", timeline: 1, databaseOid: 1, tableOid: 1 };

/** Shards, dispatchers and heartbeats. */
export class FleetTables {
  readonly #store: Store;
  readonly #shards: Shard[] = Array.from({ length: SHARDS }, (_, id) => ({
    ...{ id, epoch: 0, owner: null, sent: {}, recoveredToMs: null },
  }));
  readonly #dispatchers = new Map<string, Dispatcher>();

  constructor(store: Store) {
    this.#store = store;
  }

  standing(id: string) {
    const newest = Math.max(...[...this.#dispatchers.values()].map(({ beatAtMs }) => beatAtMs));
    const own = this.#dispatchers.get(id)?.beatAtMs ?? null;
    const standing = {
      ...{ current: INCARNATION, wasStandby: false, nowMs: this.#store.now(), choice: null, ownAtMs: own },
      newest: Number.isFinite(newest) ? { ...INCARNATION, atMs: newest, isCopied: false } : null,
    };
    return { standing, hold: null, isWhole: true };
  }

  /** Whether another dispatcher than `id` owns a shard. */
  isOthers(id: string, shard: number): boolean {
    const owner = this.#shards[shard]?.owner ?? null;
    return owner !== null && owner !== id;
  }

  beat({ id, recoveredToMs = null }: BeatingDispatcher): FleetCounts & { owned: Map<number, number> } {
    const nowMs = this.#store.now();
    const mine = this.#dispatchers.get(id) ?? {
      startedAtMs: nowMs,
      beat: 0,
      isStopped: false,
      beatAtMs: 0,
      recoveredToMs,
    };
    this.#dispatchers.set(id, mine);
    if (!mine.isStopped) Object.assign(mine, { beatAtMs: nowMs, beat: mine.beat + 1, recoveredToMs });
    const alive = [...this.#dispatchers].filter(
      ([, one]) => !one.isStopped && one.beatAtMs > nowMs - DISPATCHER_COUNTED_MS,
    );
    const isSettled = ({ startedAtMs, beatAtMs }: Dispatcher) => startedAtMs <= beatAtMs - DISPATCHER_SETTLED_MS;
    const others = alive.filter(([other]) => other !== id);
    const owned = this.#shards.filter(({ owner }) => owner === id);
    const ofOthers = this.#shards.filter(({ owner }) => owner !== null && owner !== id);
    const freeInMs = this.#shards.filter(({ owner }) => owner !== null).map((shard) => this.#freeAtMs(shard) - nowMs);
    const nextFree = ofOthers.map((shard) => this.#freeAtMs(shard) - nowMs).filter((ms) => ms >= 0);
    this.#store.notify("beat");
    return {
      isSettled: !mine.isStopped && isSettled(mine),
      others: others.length,
      settledOthers: others.filter(([, one]) => isSettled(one)).length,
      givenUp: this.#shards.filter(({ owner }) => owner === null).length,
      expired: freeInMs.filter((ms) => ms < 0).length,
      nextFreeInMs: Math.min(...nextFree),
      beatAtMs: mine.isStopped ? null : nowMs,
      beat: mine.isStopped ? null : mine.beat,
      owned: new Map(owned.map(({ id: shard, epoch }) => [shard, epoch])),
    };
  }

  take(owner: string, { limit, onlyGivenUp }: { limit: number; onlyGivenUp: boolean }): TakenShard[] {
    const nowMs = this.#store.now();
    const free = this.#shards
      .filter((shard) => shard.owner === null || (!onlyGivenUp && this.#freeAtMs(shard) < nowMs))
      .slice(0, limit);
    return free.map((shard) => {
      const former = shard.owner === null ? null : (this.#dispatchers.get(shard.owner)?.recoveredToMs ?? null);
      const recoveredToMs = Math.max(shard.recoveredToMs ?? 0, former ?? 0) || null;
      const { id, sent } = shard;
      Object.assign(shard, { owner, epoch: shard.epoch + 1, sent: {}, recoveredToMs });
      return { id, epoch: shard.epoch, sent, recoveredToMs };
    });
  }

  release(owner: string, given: readonly TakenShard[]): void {
    for (const { id, epoch, sent, recoveredToMs } of given) {
      const shard = this.#shards[id];
      if (shard?.owner !== owner || shard.epoch !== epoch) continue;
      Object.assign(shard, {
        owner: null,
        epoch: epoch + 1,
        sent,
        recoveredToMs: recoveredToMs ?? shard.recoveredToMs,
      });
    }
    this.#store.notify("shards");
  }

  stop(id: string): void {
    const one = this.#dispatchers.get(id);
    if (one) one.isStopped = true;
  }

  owns(dispatcherId: string, epochs: ReadonlyMap<number, number>, beat: number | null): (shard: number) => boolean {
    const hasBeat = beat === null || (this.#dispatchers.get(dispatcherId)?.beat ?? 0) >= beat;
    return (id) => {
      const shard = this.#shards[id];
      return hasBeat && shard?.owner === dispatcherId && shard.epoch === epochs.get(id);
    };
  }

  #freeAtMs({ owner }: Shard): number {
    const beatAtMs = owner === null ? Number.NEGATIVE_INFINITY : (this.#dispatchers.get(owner)?.beatAtMs ?? 0);
    return beatAtMs + SHARD_LEASE_MS + TAKEOVER_PAUSE_MS;
  }
}
