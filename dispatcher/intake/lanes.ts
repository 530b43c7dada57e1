import type { ComingLane, DueLane } from "#db/queries/schedules/due-lanes.ts";
import type { Holdings } from "../delivery/holdings.ts";
import type { Time } from "../runtime/clock.ts";
import { isLate, isLateForLong } from "../runtime/lateness.ts";
import { MinHeap } from "../runtime/min-heap.ts";
import { TurnQueue } from "../runtime/turn-queue.ts";
import type { TurnRules } from "../runtime/turn-rules.ts";
import { isUnread, type Lane, type LaneEntry, newLane, pullBack, readOn } from "./lane.ts";
import { laneMax, MEMORY_MAX, MEMORY_OF_LATE_MAX, NEAR_MS } from "./memory.ts";

/** The most awake lanes. Further ones stay in the calendar until others were removed. */
export const LANES_MAX = 150_000;
/** A lane is idle when it has had nothing for this long, ms. */
const IDLE_MS = 10_000;
/**
 * A lane that found no room is read again after the first delay, then after twice as long each time, up to the second,
 * ms.
 */
const DEFER_MS = 100;
const DEFER_MAX_MS = 10_000;
/** The longest delay for a lane that is at most five seconds late, ms. */
const DEFER_RECENT_MAX_MS = 500;

/**
 * Lanes take turns to be read, by the due time of what is to be read. Reading is ahead of time, so all that is not late
 * is on time.
 */
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
 * The awake lanes: those that have something due soon, or had lately. Lanes that have more to read, and room for it,
 * are read in turns.
 */
export class Lanes {
  readonly #deps: Deps;
  /** The awake lanes in the order in which they were compared with the table; the longest ago is first. */
  readonly #awake = new Map<string, Lane>();
  /** Lanes with nothing in memory and nothing to read, and since when, monotonic ms; the longest is first. */
  readonly #resting = new Map<Lane, number>();
  /** Lanes to be read for the first time. The schedule that woke them may be gone already. */
  readonly #unread = new TurnQueue(TURNS);
  readonly #more = new TurnQueue(TURNS);
  /** Deferred lanes. An entry is valid as long as its lane is deferred until the same time. */
  readonly #deferred = new MinHeap<{ lane: Lane; untilMs: number }>((a, b) => a.untilMs < b.untilMs);
  /** Called when a lane is to be read. `LaneReads` sets it. */
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

  /** Schedules of a lane have come within the horizon. */
  expect(coming: ComingLane, key: string): void {
    const { dueAtMs: fromMs, lastDueAtMs: toMs } = coming;
    const lane = this.#awake.get(key);
    if (!lane) {
      this.wake(coming, key);
      return;
    }
    readOn(lane, { fromMs, toMs });
    if (lane.moreFromMs === null) return;
    this.use(lane);
    this.want(lane);
  }

  /** A lane has something due at `dueAtMs`. A lane that is awake already knows. */
  wake(due: DueLane, key: string): void {
    if (this.#awake.has(key) || !this.hasRoom()) return;
    const lane = newLane(due, this.#deps.clock.monotonic());
    this.#awake.set(key, lane);
    this.want(lane);
  }

  /** Reads the lane again from `ms`, because something due from then on may not be in memory. */
  readAgain(lane: Lane, ms: number): void {
    pullBack(lane, ms);
    this.use(lane);
    this.want(lane);
  }

  /** Notes that the lane has, or was announced to have, something due. */
  use(lane: Lane): void {
    lane.usedAtMs = this.#deps.clock.monotonic();
    if (this.#resting.has(lane)) this.rest(lane);
  }

  /** If the lane has nothing in memory and nothing to read, it rests from now on; later it becomes idle. */
  rest(lane: Lane): void {
    this.#resting.delete(lane);
    if (this.#isEmpty(lane)) this.#resting.set(lane, this.#deps.clock.monotonic());
  }

  /** Returns up to `max` idle lanes. Those that are not forgotten become idle again after IDLE_MS. */
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

  /**
   * Returns up to `max` lanes that were last compared before `sinceMs` (monotonic), and notes that they are compared
   * now. Lanes that are being read, or were never read, are left out.
   */
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

  /** Has every lane compared with the table soon, because notifications may have been missed. */
  compareAll(): void {
    for (const lane of this.#awake.values()) lane.comparedAtMs = Number.NEGATIVE_INFINITY;
  }

  /** Forgets the lanes of shards that were lost. */
  dropShards(shards: ReadonlySet<number>): void {
    for (const lane of this.#awake.values()) if (shards.has(lane.shard)) this.forget(lane);
  }

  /** Queues the lane to be read, if it has more and there is room for it. */
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

  /**
   * There was no room for the lane. It is read again after a delay, or a second before its next schedule is due, when
   * reserved memory may be used.
   */
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

  /** Queues the deferred lanes whose delay is over. */
  wantDeferred(): void {
    const now = this.#deps.clock.monotonic();
    for (let next = this.#deferred.peek(); next && next.untilMs <= now; next = this.#deferred.peek()) {
      this.#deferred.pop();
      if (next.lane.deferredUntilMs === next.untilMs && this.#awake.get(next.lane.key) === next.lane)
        this.want(next.lane);
    }
  }

  /**
   * Removes and returns up to `max` lanes to be read. Overdue lanes wait while the free memory is reserved for what is
   * on time.
   */
  take(max: number): Lane[] {
    const nowMs = this.#deps.clock.now();
    // Do not read more lanes than there is room for.
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

  /** Whether a lane waits to be read and may be. */
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

  /** The most schedules that the lane may have in memory now. */
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
