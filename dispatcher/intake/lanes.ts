import type { DueLane } from "#db/queries/due-lanes.ts";
import type { Holdings } from "../delivery/holdings.ts";
import type { Time } from "../runtime/clock.ts";
import { Fifo } from "../runtime/fifo.ts";
import { MinHeap } from "../runtime/min-heap.ts";
import { TurnQueue } from "../runtime/turn-queue.ts";
import { isUnread, type Lane, type LaneEntry, newLane, pullBack } from "./lane.ts";
import { laneMax, MEMORY_OF_LATE_MAX } from "./memory.ts";

/** Lanes that are known at once. Those beyond stay in the calendar until others have been forgotten. */
export const LANES_MAX = 150_000;
/** A lane is idle when it had nothing for so long; less while very many are awake, since each is looked at again and again. */
const IDLE_MS = 10_000;
const IDLE_WITH_MANY_MS = 2_000;
const MANY = 10_000;
/** A lane that found no room is read again after this, and after twice as long each time, ms. */
const DEFER_MS = 100;
const DEFER_MAX_MS = 10_000;

type Deps = {
  clock: Time;
  holdings: Readonly<Holdings>;
  rates: { limitOf(lane: string): number };
};

/**
 * The lanes that are awake: they have something due soon, or had lately. Those that have more to read, and room for it,
 * are read in turns.
 */
export class Lanes {
  readonly #deps: Deps;
  /** By when they were compared with the table, the longest ago first. */
  readonly #awake = new Map<string, Lane>();
  readonly #idle = new Set<Lane>();
  /** To be read for the first time, by when they woke up. */
  readonly #unread = new Fifo<LaneEntry>();
  readonly #more = new TurnQueue<LaneEntry>({
    groupOf: ({ lane }) => lane.key,
    dueMs: ({ dueMs }) => dueMs,
    before: (a, b) => a.dueMs < b.dueMs,
    isWaiting: isCurrent,
  });
  readonly #deferred = new MinHeap<Lane>((a, b) => a.deferredUntilMs < b.deferredUntilMs);
  /** Called when a lane is to be read. Set by the reader. */
  onWanted: (() => void) | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  get(key: string): Lane | undefined {
    return this.#awake.get(key);
  }

  /** How many lanes are awake. */
  get size(): number {
    return this.#awake.size;
  }

  hasRoom(): boolean {
    return this.#awake.size < LANES_MAX;
  }

  /** A lane has something due from `dueAtMs` on; one that is awake knows by itself. */
  wake(due: DueLane, key: string): void {
    if (this.#awake.has(key) || !this.hasRoom()) return;
    const lane = newLane(due, this.#deps.clock.monotonic());
    this.#awake.set(key, lane);
    this.want(lane);
  }

  /** Something of the lane may be due from `ms` on that was not in memory. */
  readAgain(lane: Lane, ms: number): void {
    pullBack(lane, ms);
    this.use(lane);
    this.want(lane);
  }

  /** Something was in the lane, or is said to be. */
  use(lane: Lane): void {
    lane.usedAtMs = this.#deps.clock.monotonic();
    this.#idle.delete(lane);
  }

  /** Nothing was found in the lane: once that has been so for a while it is idle. */
  foundEmpty(lane: Lane): void {
    const idleMs = this.#awake.size > MANY ? IDLE_WITH_MANY_MS : IDLE_MS;
    const isIdle = this.memoryOf(lane) === 0 && this.#deps.clock.monotonic() - lane.usedAtMs >= idleMs;
    if (isIdle) this.#idle.add(lane);
  }

  /** Up to `max` idle lanes, which are asked for again later when they are not forgotten. */
  takeIdle(max: number): Lane[] {
    const lanes = [...this.#idle.values().take(max)];
    for (const lane of lanes) this.#idle.delete(lane);
    return lanes.filter((lane) => this.memoryOf(lane) === 0);
  }

  /** Up to `max` lanes that were read and not compared with the table since `sinceMs` (monotonic): they are now. */
  takeUncompared(max: number, sinceMs: number): Lane[] {
    const now = this.#deps.clock.monotonic();
    const lanes: Lane[] = [];
    for (const [key, lane] of this.#awake) {
      if (lanes.length >= max || lane.comparedAtMs > sinceMs) break;
      this.#awake.delete(key);
      this.#awake.set(key, lane);
      lane.comparedAtMs = now;
      if (!lane.isReading && !lane.isPulledBack && !isUnread(lane)) lanes.push(lane);
    }
    return lanes;
  }

  /** Notifications may have been missed: each lane is to be compared with the table soon. */
  compareAll(): void {
    for (const lane of this.#awake.values()) lane.comparedAtMs = Number.NEGATIVE_INFINITY;
  }

  /** Forgets the lanes of shards that were lost. */
  dropShards(shards: ReadonlySet<number>): void {
    for (const lane of this.#awake.values()) if (shards.has(lane.shard)) this.forget(lane);
  }

  /** Reads the lane soon, if there is more of it and room for that. */
  want(lane: Lane): void {
    if (lane.moreFromMs === null || lane.isReading) return;
    if (lane.deferredUntilMs > this.#deps.clock.monotonic()) return;
    if (lane.entry !== null && lane.entry.dueMs <= lane.moreFromMs) return;
    if (!lane.isPulledBack && this.memoryOf(lane) * 2 > this.maxOf(lane)) return;
    lane.entry = { lane, dueMs: lane.moreFromMs };
    if (isUnread(lane)) this.#unread.push(lane.entry);
    else this.#more.push(lane.entry);
    this.onWanted?.();
  }

  /** There was no room for what the lane has: it is read again a while later. */
  defer(lane: Lane): void {
    const now = this.#deps.clock.monotonic();
    if (lane.deferredUntilMs > now) return;
    lane.deferredUntilMs = now + Math.min(DEFER_MS * 2 ** lane.deferrals, DEFER_MAX_MS);
    lane.deferrals++;
    lane.entry = null;
    this.#deferred.push(lane);
  }

  /** Reads the lanes soon that have waited for long enough. */
  wantDeferred(): void {
    const now = this.#deps.clock.monotonic();
    for (let lane = this.#deferred.peek(); lane && lane.deferredUntilMs <= now; lane = this.#deferred.peek()) {
      this.#deferred.pop();
      if (this.#awake.get(lane.key) === lane) this.want(lane);
    }
  }

  /** Takes out up to `max` lanes that are to be read. Those that are overdue wait while memory is for what is on time. */
  take(max: number): Lane[] {
    const lanes: Lane[] = [];
    while (lanes.length < max) {
      const isOdd = lanes.length % 2 === 1;
      const entry = (isOdd && this.#takeMore()) || (this.#takeUnread() ?? this.#takeMore());
      if (!entry) break;
      entry.lane.entry = null;
      lanes.push(entry.lane);
    }
    return lanes;
  }

  /** Whether a lane waits that may be read now. */
  hasMore(): boolean {
    return this.#unread.length > 0 || (this.#more.size > 0 && this.#hasMemoryForLate());
  }

  forget(lane: Lane): void {
    lane.entry = null;
    this.#idle.delete(lane);
    this.#awake.delete(lane.key);
  }

  /** How many schedules the lane has in memory. */
  memoryOf({ key }: Lane): number {
    return this.#deps.holdings.memoryByLane.get(key) ?? 0;
  }

  /** How many schedules of the lane may be in memory now. */
  maxOf({ key }: Lane): number {
    const { memory, memoryByLane } = this.#deps.holdings;
    return laneMax(this.#deps.rates.limitOf(key), memoryByLane.size, memory);
  }

  #takeUnread(): LaneEntry | undefined {
    for (let entry = this.#unread.shift(); entry; entry = this.#unread.shift()) if (isCurrent(entry)) return entry;
    return undefined;
  }

  #takeMore(): LaneEntry | undefined {
    const nowMs = this.#deps.clock.now();
    return this.#hasMemoryForLate() ? this.#more.take(nowMs) : this.#more.takeOnTime(nowMs);
  }

  #hasMemoryForLate(): boolean {
    return this.#deps.holdings.memory < MEMORY_OF_LATE_MAX;
  }
}

function isCurrent(entry: LaneEntry): boolean {
  return entry.lane.entry === entry;
}
