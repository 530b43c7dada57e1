import { RUNTIME } from "../tuning/runtime.ts";
import { MinHeap } from "./min-heap.ts";
import { counts, type Group, newGroup, type Turn } from "./turn-group.ts";
import { type Accepts, type TurnRules, turnFor } from "./turn-rules.ts";
import { TurnsByInstant } from "./turns-by-instant.ts";

/**
 * A fair queue: items of several groups, which take turns. A group's tag is the later of its head's due time and the
 * group's last turn. The group with the smallest tag goes first, so a group with many overdue items delays no other.
 * Every fourth turn goes to a head that is on time, so that many overdue groups do not delay it. When no head is on
 * time, that turn goes to the least late head among those that have become late recently; otherwise a group that was
 * late once would stay behind everything that is overdue. Every eighth turn goes to the most late of these heads: one
 * that was due just before thousands of others is later than they are, and its group may have had a turn since. Within
 * a group the order is strict.
 */
export class TurnQueue<T> {
  readonly #rules: TurnRules<T>;
  readonly #groups = new Map<string, Group<T>>();
  /** Groups without items; the one that has been empty longest is first. */
  readonly #emptied = new Map<string, Group<T>>();
  /** Outdated entries stay until they come to the top, or are pruned. */
  readonly #byTag = new MinHeap<Turn<T>>((a, b) => a.tagMs < b.tagMs || (a.tagMs === b.tagMs && a.n < b.n));
  readonly #byInstant = new TurnsByInstant<T>();
  #size = 0;
  #turns = 0;
  #entries = 0;
  #nowMs = Number.NEGATIVE_INFINITY;
  #pruneAt: number = RUNTIME.pruneAtMin;

  constructor(rules: TurnRules<T>) {
    this.#rules = rules;
  }

  /** How many items wait. A removed item counts until it is its group's head, or is pruned. */
  get size(): number {
    return this.#size;
  }

  /** Whether an item of this group waits. */
  has = (name: string): boolean => (this.#groups.get(name)?.heap.size ?? 0) > 0;

  /** The first item of this group that waits. It stays in the queue. */
  firstOf(name: string): T | undefined {
    const group = this.#groups.get(name);
    if (group && this.#dropRemoved(group)) this.#line(group);
    return group?.heap.peek();
  }

  push(item: T): void {
    if (this.#size >= this.#pruneAt) this.#prune();
    const group = this.#groupOf(this.#rules.groupOf(item));
    group.heap.push(item);
    this.#size++;
    if (group.heap.peek() === item) this.#line(group);
  }

  /** The item whose turn it is by its tag, among those that `mayGo` accepts. It stays in the queue. */
  peek(mayGo: Accepts<T> = always): T | undefined {
    return this.#nextByTag(mayGo)?.heap.peek();
  }

  /**
   * Removes and returns the item whose turn it is at `nowMs`, among those that `mayGo` accepts. A head that goes because
   * it is on time or recently late has to be accepted by `isTimely`, too.
   */
  take(nowMs: number, mayGo: Accepts<T> = always, isTimely: Accepts<T> = always): T | undefined {
    this.#begin(nowMs);
    if (this.#size === 0) return undefined;
    const whose = turnFor(++this.#turns);
    let timely: T | undefined;
    if (whose === "on time") timely = this.takeTimely(nowMs, mayGo, isTimely);
    else if (whose === "most late") timely = this.#serveIf(isTimely, this.#nextMostLate(mayGo));
    if (timely !== undefined) return timely;
    const group = this.#next(mayGo);
    return group && this.#serve(group);
  }

  /** Removes and returns the earliest head that is on time at `nowMs` and due by `untilMs`, if there is one. */
  takeOnTime(nowMs: number, untilMs: number): T | undefined {
    this.#begin(nowMs);
    const group = this.#nextOnTime(always, untilMs);
    return group && this.#serve(group);
  }

  /**
   * As `take` on a fourth turn: the head that is on time or else the least late, among those that `mayGo` accepts.
   * Takes it out only if `is` accepts it too.
   */
  takeTimely(nowMs: number, mayGo: Accepts<T>, is: Accepts<T> = always): T | undefined {
    this.#begin(nowMs);
    return this.#serveIf(is, this.#nextOnTime(mayGo)) ?? this.#serveIf(is, this.#nextLeastLate(mayGo));
  }

  /**
   * Removes the waiting items that `which` accepts, and returns them in no order. Takes linear time. `which` is called
   * for all items before any is removed, since it may depend on how many wait.
   */
  remove(which: Accepts<T>): T[] {
    const taken = new Set<T>();
    const isTaken = (item: T) => this.#rules.isWaiting(item) && which(item);
    for (const { heap } of this.#groups.values()) for (const item of heap.filter(isTaken)) taken.add(item);
    if (taken.size > 0) for (const item of this.clear()) if (!taken.has(item)) this.push(item);
    return [...taken];
  }

  /** Removes all items and returns those that still wait, in no order. */
  clear(): T[] {
    const all = [...this.#groups.values()].flatMap(({ heap }) => heap.clear());
    this.#groups.clear();
    this.#emptied.clear();
    this.#byTag.clear();
    this.#byInstant.clear();
    this.#size = 0;
    return all.filter(this.#rules.isWaiting);
  }

  /** How many items wait, without removed ones. Takes linear time. */
  count(): number {
    return [...this.#groups.values()].reduce((n, { heap }) => n + heap.count(this.#rules.isWaiting), 0);
  }

  #groupOf(name: string): Group<T> {
    let group = this.#groups.get(name);
    if (!group) {
      group = newGroup(name, this.#rules.before);
      this.#groups.set(name, group);
    } else if (group.heap.size === 0) {
      this.#emptied.delete(name);
    }
    return group;
  }

  /** The group with the smallest tag. A group in debt is passed over until it has paid its turns. */
  #next(mayGo: Accepts<T>): Group<T> | undefined {
    for (;;) {
      const group = this.#nextByTag(mayGo);
      if (!group || group.owed === 0) return group;
      if (this.#byTag.size === 1) {
        group.owed = 0;
        return group;
      }
      group.owed--;
      group.servedAtMs = this.#nowMs;
      this.#line(group);
    }
  }

  /** The group with the earliest head that is on time, if that head is due by `untilMs`. */
  #nextOnTime(mayGo: Accepts<T>, untilMs = Number.POSITIVE_INFINITY): Group<T> | undefined {
    const lastMs = Math.min(untilMs, this.#nowMs + (this.#rules.aheadMs ?? RUNTIME.aheadMs));
    return this.#nextByInstant((chooses) => this.#byInstant.earliest(this.#nowMs, lastMs, chooses), mayGo);
  }

  #nextLeastLate(mayGo: Accepts<T>): Group<T> | undefined {
    return this.#nextByInstant((chooses) => this.#byInstant.leastLate(this.#nowMs, chooses), mayGo);
  }

  #nextMostLate(mayGo: Accepts<T>): Group<T> | undefined {
    return this.#nextByInstant((chooses) => this.#byInstant.mostLate(this.#nowMs, chooses), mayGo);
  }

  /** The group that `find` finds among those whose head `mayGo` accepts. Its turn stays until the group is served. */
  #nextByInstant(
    find: (chooses: (turn: Turn<T>) => boolean) => Turn<T> | undefined,
    mayGo: Accepts<T>,
  ): Group<T> | undefined {
    const { isWaiting } = this.#rules;
    const chooses = ({ group }: Turn<T>) => {
      const head = group.heap.peek() as T;
      return !isWaiting(head) || mayGo(head);
    };
    for (let turn = find(chooses); turn; turn = find(chooses)) {
      if (!this.#dropRemoved(turn.group)) return turn.group;
      this.#line(turn.group);
    }
    return undefined;
  }

  /** The first group by its tag whose head `mayGo` accepts. Its entry stays, and is outdated once the group is served. */
  #nextByTag(mayGo: Accepts<T>): Group<T> | undefined {
    const passed: Turn<T>[] = [];
    let found: Group<T> | undefined;
    for (let turn = this.#byTag.peek(); turn; turn = this.#byTag.peek()) {
      const { group } = turn;
      const isCurrent = counts(turn);
      const hasChanged = isCurrent && this.#dropRemoved(group);
      if (isCurrent && !hasChanged && mayGo(group.heap.peek() as T)) {
        found = group;
        break;
      }
      this.#byTag.pop();
      if (hasChanged) this.#line(group);
      else if (isCurrent) passed.push(turn);
    }
    for (const turn of passed) this.#byTag.push(turn);
    return found;
  }

  /** Serves a group, if `is` accepts its head. */
  #serveIf(is: Accepts<T>, group: Group<T> | undefined): T | undefined {
    return group && is(group.heap.peek() as T) ? this.#serve(group) : undefined;
  }

  #serve(group: Group<T>): T | undefined {
    const item = this.#pop(group);
    group.servedAtMs = this.#nowMs;
    if (item !== undefined && this.#rules.turns) group.owed += this.#rules.turns(item) - 1;
    this.#line(group);
    return item;
  }

  /** Drops removed items from the head of a group. Returns whether the head has changed. */
  #dropRemoved(group: Group<T>): boolean {
    let changed = false;
    for (let head = group.heap.peek(); head !== undefined && !this.#rules.isWaiting(head); head = group.heap.peek()) {
      this.#pop(group);
      changed = true;
    }
    return changed;
  }

  #pop(group: Group<T>): T | undefined {
    this.#size--;
    return group.heap.pop();
  }

  /** Enters a group into both orders according to its head. A group without items is marked as empty. */
  #line(group: Group<T>): void {
    const head = group.heap.peek();
    if (head === undefined) {
      group.turn = null;
      this.#emptied.set(group.name, group);
      return;
    }
    const dueMs = this.#rules.dueMs(head);
    group.turn = { group, tagMs: Math.max(dueMs, group.servedAtMs), dueMs, n: this.#entries++ };
    this.#byTag.push(group.turn);
    this.#byInstant.push(group.turn, this.#nowMs, this.#groups.size);
  }

  #prune(): void {
    for (const group of this.#groups.values()) {
      const before = group.heap.size;
      group.heap.prune(this.#rules.isWaiting);
      this.#size -= before - group.heap.size;
      if (group.heap.size < before) this.#line(group);
    }
    this.#byTag.prune(counts);
    this.#byInstant.prune();
    this.#pruneAt = Math.max(RUNTIME.pruneAtMin, 2 * this.#size);
  }

  #begin(nowMs: number): void {
    this.#nowMs = nowMs;
    for (const { name, servedAtMs } of this.#emptied.values()) {
      if (servedAtMs > this.#nowMs - RUNTIME.rememberedMs) return;
      this.#emptied.delete(name);
      this.#groups.delete(name);
    }
  }
}

const always = (): boolean => true;
