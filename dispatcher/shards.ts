import type { Database } from "#db/client.ts";
import { releaseShards, stopDispatcher, type TakenShard, takeShards } from "#db/queries/fleet/shard-leases.ts";
import { LOOK_AGAIN_MS, shardMoves } from "#domain/shard-share.ts";
import { CLAIM_LEASE_MS, SHARD_LEASE_MS } from "#domain/timing.ts";
import type { Heartbeat, Heartbeats } from "./heartbeats.ts";
import type { Clock } from "./runtime/clock.ts";

/** Treat a lease as ended this much before its end, ms. */
const SAFETY_MS = 100;
const DEADLINE_MS = 2_000;
/** How soon to look again whether a hold has ended, ms. */
const HELD_MS = 1_000;

type LeaseEnd = { untilMs: number; wallUntilMs: number };

/** Called with the shards that this dispatcher took or lost. */
export interface ShardObserver {
  taken(shards: TakenShard[]): void;
  lost(shards: number[]): void;
}

/** How far work is done, epoch ms; null where it is not known. */
export type ShardMarks = {
  /** Claims in the shard, or in all shards that are owned, whose lease ended before this are recovered. */
  recoveredToMs(shard?: number): number | null;
  /** Nothing open in the shards that are owned is due before this. */
  openFromMs(): number | null;
};

/** First bytes of each lane within the last second. The counts go with the shard to its next owner. */
export type ShardRates = {
  sentOf(shard: number): Record<string, number>;
  occupy(shard: number, sent: Record<string, number>): void;
};

type Deps = {
  database: Database;
  me: { id: string };
  heartbeats: Pick<Heartbeats, "send">;
  clock: Pick<Clock, "monotonic" | "isSet" | "skewMs" | "sinceStepMs">;
  wall: () => number;
  rates: ShardRates;
};

/**
 * The shards that this dispatcher owns. One lease holds for all of them: it lasts from heartbeat to heartbeat. This process
 * counts it from before the heartbeat was sent, on the monotonic clock and on the wall clock, because the monotonic
 * clock stops while a machine is suspended.
 */
export class Shards {
  readonly #deps: Deps;
  observer: ShardObserver | undefined;
  marks: ShardMarks | undefined;
  /** The shards that are owned, with their epochs. */
  readonly #epochs = new Map<number, number>();
  #lease: LeaseEnd = { untilMs: Number.NEGATIVE_INFINITY, wallUntilMs: Number.NEGATIVE_INFINITY };
  #beat: number | null = null;
  #round: Promise<unknown> = Promise.resolve();
  /** Since when at least one shard has been free, monotonic ms. */
  #freeSinceMs: number | null = null;
  #isStopping = false;
  #isHandedOver = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Whether this dispatcher owns the shard: it took it, and has not heard that it lost it. The lease may be over meanwhile, and be
   * renewed by the next heartbeat. So what is known of the shard is kept until it is lost.
   */
  owns(shard: number): boolean {
    return this.#epochs.has(shard);
  }

  owned(): number[] {
    return [...this.#epochs.keys()];
  }

  /** Whether a first byte for this shard may leave now: it is owned, and the lease lasts. */
  holds(shard: number): boolean {
    return this.owns(shard) && this.isLeased();
  }

  /** The shards for which a first byte may leave now. */
  leased(): number[] {
    return this.isLeased() ? this.owned() : [];
  }

  /** Whether the lease lasts, which all shards share. */
  isLeased(): boolean {
    const { untilMs, wallUntilMs } = this.#lease;
    return this.#deps.clock.monotonic() < untilMs && this.#deps.wall() < wallUntilMs;
  }

  /** The epoch of each of these shards; -1 for one that is not owned. */
  epochsOf(shards: number[]): Map<number, number> {
    return new Map([...new Set(shards)].map((id) => [id, this.#epochs.get(id) ?? -1]));
  }

  /** The number of the last heartbeat that was acknowledged. A database that lacks it is not the one of these shards. */
  beat(): number | null {
    return this.#beat;
  }

  /**
   * One round: sends a heartbeat, which renews the lease, and takes or releases shards until each dispatcher of the fleet has
   * its share. While there is a hold it has no shards. Returns in how many ms the next round is useful: when a shard may
   * become free, or soon if free shards were left for others.
   */
  async runOnce(): Promise<number> {
    // A heartbeat after the handover would make this dispatcher count as alive.
    if (this.#isHandedOver) return Number.POSITIVE_INFINITY;
    const round = this.#runRound();
    this.#round = round.catch(() => {});
    return round;
  }

  /** Takes no more shards. */
  stop(): void {
    this.#isStopping = true;
  }

  /** Gives all shards up, so that other dispatchers can take them at once. */
  async handOver(): Promise<void> {
    this.#isStopping = true;
    this.#isHandedOver = true;
    // A round in flight could still take or renew shards. Wait for it, or they would stay with this dispatcher.
    await this.#round;
    const { database, me } = this.#deps;
    // Leave the count of dispatchers first: the others then compute their new share when the shards become free.
    await database.run(DEADLINE_MS, ({ sql }) => stopDispatcher(sql, me.id));
    if (this.#epochs.size > 0) await this.#release([...this.#epochs.keys()]);
  }

  async #runRound(): Promise<number> {
    const { heartbeats, clock, wall } = this.#deps;
    const { marks } = this;
    const end = {
      untilMs: clock.monotonic() + SHARD_LEASE_MS - SAFETY_MS,
      wallUntilMs: wall() + SHARD_LEASE_MS - SAFETY_MS,
    };
    const heartbeat = await heartbeats.send({
      skewMs: clock.isSet() ? clock.skewMs() : null,
      recoveredToMs: marks?.recoveredToMs() ?? null,
      openFromMs: marks?.openFromMs() ?? null,
    });
    if (heartbeat === null) {
      this.#lose([...this.#epochs.keys()]);
      return HELD_MS;
    }
    const { owned, beatAtMs, beat } = heartbeat.fleet;
    if (beat !== null) this.#beat = beat;
    this.#lose([...this.#epochs].filter(([id, epoch]) => owned.get(id) !== epoch).map(([id]) => id));
    if (beatAtMs !== null) this.#lease = end;
    await this.#giveBack(owned);
    return this.#isStopping ? Number.POSITIVE_INFINITY : this.#share(heartbeat);
  }

  /**
   * Gives up shards that this dispatcher has in the database alone: it lost them during a hold, or the answer with them was
   * lost. Its heartbeats renew their leases, so nobody else could take them, and it takes them again like any other.
   */
  async #giveBack(owned: ReadonlyMap<number, number>): Promise<void> {
    const { database, me, rates } = this.#deps;
    const unknown = [...owned].filter(([id]) => !this.#epochs.has(id));
    if (unknown.length === 0) return;
    const given = unknown.map(([id, epoch]) => ({ id, epoch, sent: rates.sentOf(id), recoveredToMs: null }));
    await database.run(DEADLINE_MS, ({ sql }) => releaseShards(sql, me.id, given));
  }

  async #share({ fleet, incarnation }: Heartbeat): Promise<number> {
    const { clock } = this.#deps;
    // For a while after a step of the database's clock, lease and heartbeat times cannot be trusted.
    const isClockSettled = clock.sinceStepMs() > CLAIM_LEASE_MS;
    const free = fleet.givenUp + (isClockSettled ? fleet.expired : 0);
    if (free === 0) this.#freeSinceMs = null;
    else this.#freeSinceMs ??= clock.monotonic();
    const freeForMs = this.#freeSinceMs === null ? 0 : clock.monotonic() - this.#freeSinceMs;
    const { take, release } = shardMoves({ ...fleet, owned: this.#epochs.size, free, freeForMs });
    if (release > 0 && isClockSettled) await this.#release([...this.#epochs.keys()].slice(-release));
    const taken = take > 0 ? await this.#take({ limit: take, onlyGivenUp: !isClockSettled, incarnation }) : 0;
    return taken < free ? LOOK_AGAIN_MS : fleet.nextFreeInMs;
  }

  /** Takes shards. Returns how many it got. */
  async #take(wanted: Parameters<typeof takeShards>[2]): Promise<number> {
    const { database, me, rates } = this.#deps;
    const taken = await database.run(DEADLINE_MS, ({ sql }) => sql.begin((tx) => takeShards(tx, me.id, wanted)));
    for (const { id, epoch } of taken) this.#epochs.set(id, epoch);
    for (const { id, sent } of taken) rates.occupy(id, sent);
    if (taken.length > 0) this.observer?.taken(taken);
    return taken.length;
  }

  async #release(ids: number[]): Promise<void> {
    const { database, me, rates } = this.#deps;
    const given = ids.map((id) => ({
      id,
      epoch: this.#epochs.get(id) ?? -1,
      recoveredToMs: this.marks?.recoveredToMs(id) ?? null,
    }));
    // After this no first byte can leave for these shards, so `sentOf` is final.
    this.#lose(ids);
    const shards = given.map((one) => ({ ...one, sent: rates.sentOf(one.id) }));
    await database.run(DEADLINE_MS, ({ sql }) => releaseShards(sql, me.id, shards));
  }

  #lose(ids: number[]): void {
    for (const id of ids) this.#epochs.delete(id);
    if (ids.length > 0) this.observer?.lost(ids);
  }
}
