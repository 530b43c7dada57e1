import { RUNTIME } from "../tuning/runtime.ts";
import { Fifo } from "./fifo.ts";
import { isLateForLong, isOnTime } from "./lateness.ts";
import { MinHeap } from "./min-heap.ts";
import { counts, type Turn } from "./turn-group.ts";

/** The turns whose heads are due at one instant, in the order in which they were added. */
type Instant<T> = { dueMs: number; turns: Fifo<Turn<T>> };

type Chooses<T> = (turn: Turn<T>) => boolean;

/**
 * Turns whose heads are on time or have become late recently, in buckets by due time. Heads with the same due time
 * share a bucket, so thousands become late in O(1). Outdated turns stay until they are passed or pruned.
 */
export class TurnsByInstant<T> {
  readonly #instants = new Map<number, Instant<T>>();
  /** Buckets that are on time, the earliest first. Some may be far ahead. */
  readonly #onTime = new MinHeap<Instant<T>>((a, b) => a.dueMs < b.dueMs);
  /** Buckets that are recently late, the most late first. Due times are whole milliseconds, so there are few. */
  #late: Instant<T>[] = [];
  #size = 0;

  /** How many turns are here, outdated ones included. */
  get size(): number {
    return this.#size;
  }

  /** Adds the turn of one of `groups` groups. Prunes outdated turns when there are too many. */
  push(turn: Turn<T>, nowMs: number, groups: number): void {
    if (isLateForLong(turn.dueMs, nowMs)) return;
    if (this.#size >= Math.max(RUNTIME.pruneAtMin, 2 * groups)) this.prune();
    const { dueMs } = turn;
    let instant = this.#instants.get(dueMs);
    if (!instant) {
      instant = { dueMs, turns: new Fifo() };
      this.#instants.set(dueMs, instant);
      if (isOnTime(dueMs, nowMs)) this.#onTime.push(instant);
      else this.#addLate(instant);
    }
    instant.turns.push(turn);
    this.#size++;
  }

  /** The earliest turn on time at `nowMs` and due by `untilMs` that `chooses` accepts. It stays. */
  earliest(nowMs: number, untilMs: number, chooses: Chooses<T>): Turn<T> | undefined {
    this.#age(nowMs);
    const passed: Instant<T>[] = [];
    let found: Turn<T> | undefined;
    for (let first = this.#onTime.peek(); first && first.dueMs <= untilMs; first = this.#onTime.peek()) {
      found = this.#firstOf(first, chooses);
      if (found) break;
      this.#onTime.pop();
      if (first.turns.length > 0) passed.push(first);
      else this.#drop(first);
    }
    for (const instant of passed) this.#onTime.push(instant);
    return found;
  }

  /** The least late turn at `nowMs`, among those recently late that `chooses` accepts. It stays. */
  leastLate(nowMs: number, chooses: Chooses<T>): Turn<T> | undefined {
    this.#age(nowMs);
    for (let at = this.#late.length - 1; at >= 0; at--) {
      const found = this.#firstOfLate(at, chooses);
      if (found) return found;
    }
    return undefined;
  }

  /** The most late turn at `nowMs`, among those recently late that `chooses` accepts. It stays. */
  mostLate(nowMs: number, chooses: Chooses<T>): Turn<T> | undefined {
    this.#age(nowMs);
    for (let at = 0; at < this.#late.length; ) {
      const left = this.#late.length;
      const found = this.#firstOfLate(at, chooses);
      if (found) return found;
      // After a drop, the next bucket is at the same index.
      if (this.#late.length === left) at++;
    }
    return undefined;
  }

  /** Drops outdated turns. Takes linear time. */
  prune(): void {
    this.#size = 0;
    for (const [dueMs, { turns }] of this.#instants) {
      turns.take((turn) => !counts(turn));
      this.#size += turns.length;
      if (turns.length === 0) this.#instants.delete(dueMs);
    }
    const isLeft = ({ turns }: Instant<T>) => turns.length > 0;
    this.#onTime.prune(isLeft);
    this.#late = this.#late.filter(isLeft);
  }

  clear(): void {
    this.#instants.clear();
    this.#onTime.clear();
    this.#late = [];
    this.#size = 0;
  }

  /** Moves buckets that have become late, and drops those that have been late for over five seconds. */
  #age(nowMs: number): void {
    for (let first = this.#onTime.peek(); first && !isOnTime(first.dueMs, nowMs); first = this.#onTime.peek()) {
      this.#onTime.pop();
      if (isLateForLong(first.dueMs, nowMs)) this.#drop(first);
      else this.#addLate(first);
    }
    for (let first = this.#late[0]; first && isLateForLong(first.dueMs, nowMs); first = this.#late[0]) {
      this.#late.shift();
      this.#drop(first);
    }
  }

  #addLate(instant: Instant<T>): void {
    const at = this.#late.findLastIndex(({ dueMs }) => dueMs < instant.dueMs) + 1;
    this.#late.splice(at, 0, instant);
  }

  #drop({ dueMs, turns }: Instant<T>): void {
    this.#size -= turns.length;
    this.#instants.delete(dueMs);
  }

  /** The first turn that `chooses` accepts in the late bucket at index `at`. Drops the bucket when it is empty. */
  #firstOfLate(at: number, chooses: Chooses<T>): Turn<T> | undefined {
    const instant = this.#late[at] as Instant<T>;
    const found = this.#firstOf(instant, chooses);
    if (instant.turns.length === 0) {
      this.#late.splice(at, 1);
      this.#drop(instant);
    }
    return found;
  }

  /** The first turn that `chooses` accepts. It stays, and outdated turns before it are dropped. */
  #firstOf({ turns }: Instant<T>, chooses: Chooses<T>): Turn<T> | undefined {
    const before = turns.length;
    const found = turns.find(chooses, counts);
    this.#size += turns.length - before;
    return found;
  }
}
