import type { Database } from "#db/client.ts";
import { releaseShards, renewShards, stopDispatcher, takeShards } from "#db/queries/fleet/shard-leases.ts";
import type { Incarnation } from "#domain/incarnation.ts";
import { LOOK_AGAIN_MS, shardMoves } from "#domain/shard-share.ts";
import { CLAIM_LEASE_MS, SHARD_LEASE_MS } from "#domain/timing.ts";
import type { Heartbeat, Heartbeats } from "./heartbeats.ts";
import type { Clock } from "./runtime/clock.ts";

/** Treat a lease as ended this much before its end, ms. */
const SAFETY_MS = 100;
const DEADLINE_MS = 2_000;
/** How soon to look again whether a hold has ended, ms. */
const HELD_MS = 1_000;

type Lease = { epoch: number; untilMs: number; wallUntilMs: number };
type LeaseEnd = Pick<Lease, "untilMs" | "wallUntilMs">;

/** Called with the shards that this dispatcher took or lost. */
export interface ShardListener {
  taken(shards: number[]): void;
  lost(shards: number[]): void;
}

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
 * The shards that this dispatcher owns. The database stores when each lease ends. This process counts its leases from
 * before the renewal was sent, on the monotonic clock and on the wall clock, because the monotonic clock stops while a
 * machine is suspended.
 */
export class Shards {
  readonly #deps: Deps;
  listener: ShardListener | undefined;
  readonly #leases = new Map<number, Lease>();
  #round: Promise<unknown> = Promise.resolve();
  /** Since when at least one shard has been free, monotonic ms. */
  #freeSinceMs: number | null = null;
  #isStopping = false;
  #isHandedOver = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Whether a first byte for this shard may leave now. */
  holds(shard: number): boolean {
    const lease = this.#leases.get(shard);
    return lease !== undefined && this.#deps.clock.monotonic() < lease.untilMs && this.#deps.wall() < lease.wallUntilMs;
  }

  owned(): number[] {
    return [...this.#leases.keys()].filter((shard) => this.holds(shard));
  }

  /** The epoch of each of these shards; -1 for one that is not owned. */
  epochsOf(shards: number[]): Map<number, number> {
    return new Map([...new Set(shards)].map((id) => [id, this.#leases.get(id)?.epoch ?? -1]));
  }

  /**
   * One round: sends a heartbeat, renews leases, and takes or releases shards until each dispatcher of the fleet has
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
    if (this.#leases.size > 0) await this.#release([...this.#leases.keys()]);
  }

  async #runRound(): Promise<number> {
    const { heartbeats, clock, wall } = this.#deps;
    const end = {
      untilMs: clock.monotonic() + SHARD_LEASE_MS - SAFETY_MS,
      wallUntilMs: wall() + SHARD_LEASE_MS - SAFETY_MS,
    };
    const heartbeat = await heartbeats.send(clock.isSet() ? clock.skewMs() : null);
    if (heartbeat === null) {
      this.#lose([...this.#leases.keys()]);
      return HELD_MS;
    }
    if (this.#leases.size > 0) await this.#renew(heartbeat.incarnation, end);
    return this.#isStopping ? Number.POSITIVE_INFINITY : this.#share(heartbeat, end);
  }

  async #renew(incarnation: Incarnation, end: LeaseEnd): Promise<void> {
    const { database, me } = this.#deps;
    const epochs = new Map([...this.#leases].map(([id, { epoch }]) => [id, epoch]));
    const renewed = new Set(await database.run(DEADLINE_MS, ({ sql }) => renewShards(sql, me.id, epochs, incarnation)));
    this.#lose([...this.#leases.keys()].filter((id) => !renewed.has(id)));
    for (const lease of this.#leases.values()) Object.assign(lease, end);
  }

  async #share({ fleet, incarnation }: Heartbeat, end: LeaseEnd): Promise<number> {
    const { clock } = this.#deps;
    // For a while after a step of the database's clock, lease and heartbeat times cannot be trusted.
    const isClockSettled = clock.sinceStepMs() > CLAIM_LEASE_MS;
    const free = fleet.givenUp + (isClockSettled ? fleet.expired : 0);
    if (free === 0) this.#freeSinceMs = null;
    else this.#freeSinceMs ??= clock.monotonic();
    const freeForMs = this.#freeSinceMs === null ? 0 : clock.monotonic() - this.#freeSinceMs;
    const { take, release } = shardMoves({ ...fleet, owned: this.#leases.size, free, freeForMs });
    if (release > 0 && isClockSettled) await this.#release([...this.#leases.keys()].slice(-release));
    const taken = take > 0 ? await this.#take({ limit: take, onlyGivenUp: !isClockSettled, incarnation }, end) : 0;
    return taken < free ? LOOK_AGAIN_MS : fleet.nextFreeInMs;
  }

  /** Takes shards. Returns how many it got. */
  async #take(wanted: Parameters<typeof takeShards>[2], end: LeaseEnd): Promise<number> {
    const { database, me, rates } = this.#deps;
    const taken = await database.run(DEADLINE_MS, ({ sql }) => takeShards(sql, me.id, wanted));
    for (const { id, epoch } of taken) this.#leases.set(id, { epoch, ...end });
    for (const { id, sent } of taken) rates.occupy(id, sent);
    if (taken.length > 0) this.listener?.taken(taken.map(({ id }) => id));
    return taken.length;
  }

  async #release(ids: number[]): Promise<void> {
    const { database, me, rates } = this.#deps;
    const given = ids.map((id) => ({ id, epoch: this.#leases.get(id)?.epoch ?? -1 }));
    // After this no first byte can leave for these shards, so `sentOf` is final.
    this.#lose(ids);
    const shards = given.map((one) => ({ ...one, sent: rates.sentOf(one.id) }));
    await database.run(DEADLINE_MS, ({ sql }) => releaseShards(sql, me.id, shards));
  }

  #lose(ids: number[]): void {
    for (const id of ids) this.#leases.delete(id);
    if (ids.length > 0) this.listener?.lost(ids);
  }
}
