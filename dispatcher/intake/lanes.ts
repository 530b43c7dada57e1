import type { ComingLane, DueLane } from "#db/queries/schedules/due-lanes.ts";
import type { Holdings } from "../delivery/holdings.ts";
import type { Time } from "../runtime/clock.ts";
import { isLate } from "../runtime/lateness.ts";
import { INTAKE } from "../tuning/intake.ts";
import { Lane } from "./lane.ts";
import { LaneBackoff } from "./lane-backoff.ts";
import { LanesToRead } from "./lanes-to-read.ts";
import { freeFor, laneMax } from "./memory.ts";

/** Bounds memory: awake lanes. Further ones stay in the calendar until others were removed. */
export const LANES_MAX = 150_000;
type Deps = {
  clock: Time;
  holdings: Readonly<Holdings>;
  rates: { limitOf(lane: string): number };
  /** Whether all lanes of the shard with something due were woken by their entries of the calendar. */
  isSwept: (shard: number) => boolean;
};

/**
 * The awake lanes: those that have something due soon, or had lately. Lanes that have more to read, and capacity for it,
 * are read in turns.
 */
export class Lanes {
  readonly #deps: Deps;
  /** The awake lanes in the order in which they were reconciled with the table; the longest ago is first. */
  readonly #awake = new Map<string, Lane>();
  /** Lanes with nothing in memory and nothing to read, and since when, monotonic ms; the longest is first. */
  readonly #resting = new Map<Lane, number>();
  readonly #toRead = new LanesToRead();
  /** Lanes to reconcile again: they were being read when it was their turn, or changed during the reconciliation. */
  readonly #toReconcile = new Set<Lane>();
  readonly #backoff: LaneBackoff;
  /** Called when a lane is to be read. `lifecycle.ts` sets it. */
  onQueued: (() => void) | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#backoff = new LaneBackoff(deps);
  }

  get(key: string): Lane | undefined {
    return this.#awake.get(key);
  }

  /** How many lanes are awake. */
  get size(): number {
    return this.#awake.size;
  }

  /** From which due time on a lane has more to read, epoch ms; Infinity when none has. */
  moreFromMs(): number {
    let earliest = Number.POSITIVE_INFINITY;
    for (const { moreFromMs } of this.#awake.values()) earliest = Math.min(earliest, moreFromMs ?? earliest);
    return earliest;
  }

  hasCapacity(): boolean {
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
    lane.readOn({ fromMs, toMs });
    if (lane.moreFromMs === null) return;
    this.use(lane);
    this.want(lane);
  }

  /**
   * Wakes a lane that has something due at `dueAtMs`. A lane that is awake already is read again from there, unless it was
   * read from there before. `isEntry`: that is its entry of the calendar. While the lanes of its shard are still woken by their
   * entries, a lane may have others that are due before what was announced, so it is read from its entry.
   */
  wake(due: DueLane, key: string, isEntry = false): void {
    const awake = this.#awake.get(key);
    if (awake && !awake.isPlaced) {
      if (isEntry) awake.place(due.dueAtMs);
    } else if (awake && due.dueAtMs < awake.fromMs) {
      awake.beginAt(due.dueAtMs);
      this.readAgain(awake, due.dueAtMs);
    }
    if (awake || !this.hasCapacity()) return;
    const { isSwept, clock } = this.#deps;
    const lane = new Lane(due, isEntry || isSwept(due.shard), clock.monotonic());
    this.#awake.set(key, lane);
    this.want(lane);
  }

  /** Reads the lane again from `ms`, because something due from then on may not be in memory. */
  readAgain(lane: Lane, ms: number): void {
    const { moreFromMs } = lane;
    lane.pullBack(ms);
    if (lane.moreFromMs !== moreFromMs) this.#backoff.hasten(lane);
    this.use(lane);
    this.want(lane);
  }

  /** Marks the lane as used: something of it is due, or was announced. */
  use(lane: Lane): void {
    lane.usedAtMs = this.#deps.clock.monotonic();
    if (this.#resting.has(lane)) this.rest(lane);
  }

  /** If the lane has nothing in memory and nothing to read, it rests from now on; later it becomes idle. */
  rest(lane: Lane): void {
    this.#resting.delete(lane);
    if (this.#isEmpty(lane)) this.#resting.set(lane, this.#deps.clock.monotonic());
  }

  /** Returns up to `max` idle lanes. Those that are not forgotten become idle again after INTAKE.idleAfterMs. */
  takeIdle(max: number): Lane[] {
    const sinceMs = this.#deps.clock.monotonic() - INTAKE.idleAfterMs;
    const idle: Lane[] = [];
    for (const [lane, restsFromMs] of this.#resting) {
      if (idle.length >= max || restsFromMs > sinceMs) break;
      this.rest(lane);
      if (this.#isEmpty(lane)) idle.push(lane);
    }
    return idle;
  }

  /**
   * Returns up to `max` lanes to reconcile with the table: those that must be reconciled again, and those that were last
   * reconciled before `sinceMs` (monotonic). Marks them as reconciled now. Lanes that are being read are left for the next
   * call; lanes that were never read are left out.
   */
  takeUnreconciled(max: number, sinceMs: number): Lane[] {
    const now = this.#deps.clock.monotonic();
    // At most half of `max`: a read of these lanes may take long.
    const due = new Set([...this.#toReconcile].slice(0, max / 2));
    for (const [key, lane] of this.#awake) {
      if (due.size >= max || lane.reconciledAtMs > sinceMs) break;
      this.#awake.delete(key);
      this.#awake.set(key, lane);
      lane.reconciledAtMs = now;
      due.add(lane);
    }
    for (const lane of due) this.#toReconcile.delete(lane);
    const known = [...due].filter((lane) => this.#awake.get(lane.key) === lane && !lane.isUnread);
    for (const lane of known) if (isToBeRead(lane)) this.reconcileAgain(lane);
    return known.filter((lane) => !isToBeRead(lane));
  }

  /** Makes the next call of `takeUnreconciled` return this lane. */
  reconcileAgain(lane: Lane): void {
    this.#toReconcile.add(lane);
  }

  /** Has every lane reconciled with the table soon, because notifications may have been missed. */
  reconcileAll(): void {
    for (const lane of this.#awake.values()) lane.reconciledAtMs = Number.NEGATIVE_INFINITY;
  }

  /** Forgets the lanes of shards that were lost. */
  dropShards(shards: ReadonlySet<number>): void {
    for (const lane of this.#awake.values()) if (shards.has(lane.shard)) this.forget(lane);
  }

  /** Queues the lane to be read, if it has more and there is capacity for it. */
  want(lane: Lane): void {
    if (this.#queue(lane)) this.onQueued?.();
  }

  /** Delays the next read of a lane that found no memory. */
  backOff(lane: Lane): void {
    this.#backoff.add(lane);
    lane.dequeue();
  }

  /** Queues lanes whose delay is over, a bounded number. */
  wantBackedOff(): void {
    for (const lane of this.#backoff.takeOver()) if (this.#awake.get(lane.key) === lane) this.#queue(lane);
  }

  /**
   * Removes and returns up to `max` lanes to be read. Overdue lanes, and those of a large burst, wait while the free memory
   * is reserved for others that are on time.
   */
  take(max: number): Lane[] {
    const { clock, holdings } = this.#deps;
    const nowMs = clock.now();
    const taken = this.#toRead.take(max, holdings.memory, nowMs);
    // A lane that seems late is read though there is no capacity: its schedule may be gone, and the next one on time.
    const hasCapacity = (lane: Lane) =>
      lane.isPulledBack || isLate(dueOf(lane), nowMs) || freeFor(dueOf(lane), nowMs, holdings) > 0;
    for (const lane of taken) if (!hasCapacity(lane)) this.backOff(lane);
    return taken.filter(hasCapacity);
  }

  /** Whether lanes are to be read at once. */
  hasMore(): boolean {
    return this.#toRead.isUrgent(this.#deps.holdings, this.#deps.clock.now());
  }

  forget(lane: Lane): void {
    lane.dequeue();
    this.#resting.delete(lane);
    this.#toReconcile.delete(lane);
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

  /** How many more schedules of the lane may come into memory, beside `planned` others that are about to; at least 1. */
  capacityOf(lane: Lane, planned: number): number {
    const { clock, holdings } = this.#deps;
    const free = freeFor(dueOf(lane), clock.now(), holdings, planned);
    return Math.max(Math.min(this.maxOf(lane) - this.memoryOf(lane), free), 1);
  }

  #queue(lane: Lane): boolean {
    const state = lane.stateAt(this.#deps.clock.monotonic());
    if (lane.moreFromMs === null || (state !== "behind" && state !== "queued")) return false;
    if (lane.entry !== null && lane.entry.dueMs <= lane.moreFromMs) return false;
    if (!lane.isPulledBack && this.memoryOf(lane) * 2 > this.maxOf(lane)) return false;
    this.#toRead.add(lane, lane.moreFromMs);
    return true;
  }

  #isEmpty(lane: Lane): boolean {
    const isAwake = this.#awake.get(lane.key) === lane;
    const state = lane.stateAt(this.#deps.clock.monotonic());
    return isAwake && state === "current" && this.memoryOf(lane) === 0;
  }
}

/** From which due time on the lane has more to read, ms. */
const dueOf = ({ moreFromMs }: Lane): number => moreFromMs ?? Number.NEGATIVE_INFINITY;

const isToBeRead = ({ isReading, isPulledBack }: Lane): boolean => isReading || isPulledBack;
