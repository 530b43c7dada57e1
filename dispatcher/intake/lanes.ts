import type { DueLane } from "#db/queries/schedules/due-lanes.ts";
import type { Holdings } from "../delivery/holdings.ts";
import type { Time } from "../runtime/clock.ts";
import { isLate, isLateForLong } from "../runtime/lateness.ts";
import { MinHeap } from "../runtime/min-heap.ts";
import { TurnQueue } from "../runtime/turn-queue.ts";
import type { TurnRules } from "../runtime/turn-rules.ts";
import { isUnread, type Lane, type LaneEntry, newLane, pullBack } from "./lane.ts";
import { laneMax, MEMORY_MAX, MEMORY_OF_LATE_MAX, NEAR_MS } from "./memory.ts";

/** Lanes that are known at once. Those beyond stay in the calendar until others have been forgotten. */
export const LANES_MAX = 150_000;
/** A lane is idle when it had nothing for so long. */
const IDLE_MS = 10_000;
/** A lane that found no room is read again after this, and after twice as long each time, ms. */
const DEFER_MS = 100;
const DEFER_MAX_MS = 10_000;
/** … one that has not been late for long, ms. */
const DEFER_RECENT_MAX_MS = 500;

/** Lanes take turns to be read, by when what is to be read is due. It is read ahead, so all that is not late is on time. */
const TURNS: TurnRules<LaneEntry> = {
  groupOf: ({ lane }) => lane.key,
  dueMs: ({ dueMs }) => dueMs,
  before: (a, b) => a.dueMs < b.dueMs,
  isWaiting: isCurrent,
  aheadMs: Number.POSITIVE_INFINITY,
};

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
  /** Lanes without anything in memory or more to read, with when that began, monotonic ms; the longest so first. */
  readonly #resting = new Map<Lane, number>();
  /** To be read for the first time. What is said to be due in them may be gone already. */
  readonly #unread = new TurnQueue(TURNS);
  readonly #more = new TurnQueue(TURNS);
  /** An entry counts as long as its lane is deferred until then. */
  readonly #deferred = new MinHeap<{ lane: Lane; untilMs: number }>((a, b) => a.untilMs < b.untilMs);
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

  /** A lane has something that comes within the horizon at `dueAtMs`: if all before it was read, it is read from there on. */
  expect(due: DueLane, key: string): void {
    const lane = this.#awake.get(key);
    if (!lane) this.wake(due, key);
    else if (lane.isReading || (lane.moreFromMs === null && due.dueAtMs > lane.readTo.ms)) {
      this.readAgain(lane, due.dueAtMs);
    }
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
    if (this.#resting.has(lane)) this.rest(lane);
  }

  /** A lane that has nothing in memory and nothing to be read rests from now on: once it has for a while it is idle. */
  rest(lane: Lane): void {
    this.#resting.delete(lane);
    if (this.#isEmpty(lane)) this.#resting.set(lane, this.#deps.clock.monotonic());
  }

  /** Up to `max` idle lanes. They are idle anew after a while, if they are not forgotten. */
  takeIdle(max: number): Lane[] {
    const sinceMs = this.#deps.clock.monotonic() - IDLE_MS;
    const idle: Lane[] = [];
    for (const [lane, restsFromMs] of this.#resting) {
      if (idle.length >= max || restsFromMs > sinceMs) break;
      this.rest(lane);
      if (this.#isEmpty(lane)) idle.push(lane);
    }
    return idle;
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

  /** There was no room for what the lane has: it is read again a while later, or when that is due so soon that there may be. */
  defer(lane: Lane): void {
    const { clock } = this.#deps;
    const now = clock.monotonic();
    if (lane.deferredUntilMs > now) return;
    const dueMs = lane.moreFromMs ?? Number.NEGATIVE_INFINITY;
    const nearInMs = dueMs - NEAR_MS - clock.now();
    if (nearInMs > 0) {
      lane.deferredUntilMs = now + nearInMs;
    } else {
      const maxMs = isLateForLong(dueMs, clock.now()) ? DEFER_MAX_MS : DEFER_RECENT_MAX_MS;
      lane.deferredUntilMs = now + Math.min(DEFER_MS * 2 ** lane.deferrals, maxMs);
      lane.deferrals++;
    }
    lane.entry = null;
    this.#deferred.push({ lane, untilMs: lane.deferredUntilMs });
  }

  /** Reads the lanes soon that have waited for long enough. */
  wantDeferred(): void {
    const now = this.#deps.clock.monotonic();
    for (let next = this.#deferred.peek(); next && next.untilMs <= now; next = this.#deferred.peek()) {
      this.#deferred.pop();
      if (next.lane.deferredUntilMs === next.untilMs && this.#awake.get(next.lane.key) === next.lane)
        this.want(next.lane);
    }
  }

  /** Takes out up to `max` lanes that are to be read. Those that are overdue wait while memory is for what is on time. */
  take(max: number): Lane[] {
    const nowMs = this.#deps.clock.now();
    // What there is no room for is not read.
    const room = Math.min(max, MEMORY_MAX - this.#deps.holdings.memory);
    const lanes: Lane[] = [];
    while (lanes.length < room) {
      const isOdd = lanes.length % 2 === 1;
      const entry = (isOdd && this.#takeMore(nowMs)) || (this.#unread.take(nowMs) ?? this.#takeMore(nowMs));
      if (!entry) break;
      entry.lane.entry = null;
      lanes.push(entry.lane);
    }
    return lanes;
  }

  /** Whether a lane waits that may be read now. */
  hasMore(): boolean {
    const { memory } = this.#deps.holdings;
    if (memory >= MEMORY_MAX) return false;
    return this.#unread.size > 0 || (this.#more.size > 0 && memory < MEMORY_OF_LATE_MAX);
  }

  forget(lane: Lane): void {
    lane.entry = null;
    this.#resting.delete(lane);
    this.#awake.delete(lane.key);
  }

  /** How many schedules the lane has in memory. */
  memoryOf({ key }: Lane): number {
    return this.#deps.holdings.memoryByLane.get(key) ?? 0;
  }

  /** How many schedules of the lane may be in memory now. */
  maxOf({ key, moreFromMs }: Lane): number {
    const { holdings, rates, clock } = this.#deps;
    const { memory, memoryByLane } = holdings;
    const hasLate = moreFromMs !== null && isLate(moreFromMs, clock.now());
    return laneMax(rates.limitOf(key), hasLate, memoryByLane.size, memory);
  }

  #takeMore(nowMs: number): LaneEntry | undefined {
    return this.#deps.holdings.memory < MEMORY_OF_LATE_MAX
      ? this.#more.take(nowMs)
      : this.#more.takeOnTime(nowMs, nowMs + NEAR_MS);
  }

  #isEmpty(lane: Lane): boolean {
    const isAwake = this.#awake.get(lane.key) === lane;
    return isAwake && lane.moreFromMs === null && !lane.isReading && this.memoryOf(lane) === 0;
  }
}

function isCurrent(entry: LaneEntry): boolean {
  return entry.lane.entry === entry;
}
