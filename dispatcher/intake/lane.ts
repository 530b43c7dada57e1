import { after, type DueCursor, type DueSchedule } from "#db/queries/schedules/due.ts";
import type { DueLane } from "#db/queries/schedules/due-lanes.ts";
import type { Environment } from "#domain/environment.ts";
import { laneKey } from "../delivery/delivery.ts";
import { Reconciled } from "./reconciled.ts";

/** Schedules that came within the horizon: the due times of the first and of the last one, ms. */
type Coming = { fromMs: number; toMs: number };

/** A lane that is to be read. An outdated entry stays in its queue until it is the head. */
export type LaneEntry = { readonly lane: Lane; readonly dueMs: number };

/**
 * What a lane is at a moment:
 *
 * | State | Is | Becomes |
 * |---|---|---|
 * | current | everything up to the horizon was in memory | behind, when something comes or is announced |
 * | behind | there is more to read, and it is not queued: it is new, or has much in memory already | queued |
 * | queued | queued to be read | reading; backing off, when there is no memory for it |
 * | reading | a statement reads it | current, behind or backing off, by what it read and found capacity for |
 * | backing off | it found no memory, and waits | behind, when its delay is over |
 */
export type LaneState = "current" | "behind" | "queued" | "reading" | "backing off";

/**
 * A lane that has something due soon, or had lately, and how far it was read. Nothing else changes what it keeps. Due times are by
 * the database's clock, ms.
 */
export class Lane {
  readonly key: string;
  readonly accountId: string;
  readonly env: Environment;
  readonly shard: number;
  /** When it was last reconciled with the table, and last had something; monotonic ms. `Lanes` writes both. */
  reconciledAtMs: number;
  usedAtMs: number;
  #fromMs: number;
  #readTo: DueCursor;
  #moreFromMs: number | null;
  #isUnread = true;
  #isPulledBack = false;
  #isReading = false;
  /** The due time from which it must be read again after the read in flight, ms. */
  #againFromMs = Number.POSITIVE_INFINITY;
  /** Schedules that came within the horizon while a read was in flight. */
  #coming: Coming | null = null;
  #backoffUntilMs = Number.NEGATIVE_INFINITY;
  #backoffs = 0;
  #entry: LaneEntry | null = null;
  readonly #reconciled: Reconciled;

  /**
   * A lane that was not read yet and has something due at `dueAtMs`. With `isBeginning`, nothing of it is open before; without,
   * that is not known until `place` is called. `nowMs` is monotonic.
   */
  constructor({ accountId, env, shard, dueAtMs }: DueLane, isBeginning: boolean, nowMs: number) {
    this.key = laneKey({ accountId, env });
    this.accountId = accountId;
    this.env = env;
    this.shard = shard;
    this.reconciledAtMs = nowMs;
    this.usedAtMs = nowMs;
    this.#fromMs = isBeginning ? dueAtMs : Number.NEGATIVE_INFINITY;
    this.#readTo = cursorBefore(dueAtMs);
    this.#moreFromMs = dueAtMs;
    this.#reconciled = new Reconciled(dueAtMs, nowMs);
  }

  /** Nothing of the lane that is open is due before this. Where reading begins, so that it passes no dead rows. */
  get fromMs(): number {
    return this.#fromMs;
  }

  /** Whether it is known where reading begins. Until then it is not read. */
  get isPlaced(): boolean {
    return this.#fromMs !== Number.NEGATIVE_INFINITY;
  }

  /** Every schedule up to this cursor has been in memory. */
  get readTo(): DueCursor {
    return this.#readTo;
  }

  /** From this due time on, after `readTo`, there may be more to read; null when everything was read. */
  get moreFromMs(): number | null {
    return this.#moreFromMs;
  }

  /** Whether nothing of it was read. */
  get isUnread(): boolean {
    return this.#isUnread;
  }

  /** Whether no read of it was tried. A lane that found no memory is unread, but its due time is known. */
  get isUntried(): boolean {
    return this.#isUnread && this.#backoffUntilMs === Number.NEGATIVE_INFINITY;
  }

  /** Whether it is read again from before `readTo`. That does not wait for capacity. */
  get isPulledBack(): boolean {
    return this.#isPulledBack;
  }

  /** Whether a read is in flight. */
  get isReading(): boolean {
    return this.#isReading;
  }

  /** When it may be read again after it found no memory, monotonic ms; and how often in a row it found none. */
  get backoffUntilMs(): number {
    return this.#backoffUntilMs;
  }

  get backoffs(): number {
    return this.#backoffs;
  }

  /** Its valid entry in a queue of lanes to be read. */
  get entry(): LaneEntry | null {
    return this.#entry;
  }

  /** Its state at `nowMs`, monotonic. */
  stateAt(nowMs: number): LaneState {
    if (this.#isReading) return "reading";
    if (this.#moreFromMs === null) return "current";
    if (this.#backoffUntilMs > nowMs) return "backing off";
    return this.#entry === null ? "behind" : "queued";
  }

  /**
   * Whether a schedule that was read by id may come into memory. It may not while others of the lane that are due before
   * it were not read.
   */
  isReached({ dueAtMs, id }: DueSchedule): boolean {
    if (!this.isPlaced) return false;
    const { ms, id: last } = this.#readTo;
    return this.#moreFromMs === null || dueAtMs < ms || (dueAtMs === ms && id <= last);
  }

  /** Its entry in the calendar is `entryMs`, or it has none (infinity): reading begins there, or before at what woke it. */
  place(entryMs: number): void {
    const fromMs = Math.min(entryMs, this.#moreFromMs ?? entryMs);
    this.beginAt(fromMs);
    this.#readTo = cursorBefore(fromMs);
    this.#moreFromMs = fromMs;
  }

  /** Something of it is due before everything that was known to be open. */
  beginAt(dueAtMs: number): void {
    this.#fromMs = dueAtMs;
    this.#reconciled.beginAt(dueAtMs);
  }

  /** Marks the lane to be read again from `ms`, because something due from then on may not be in memory. */
  pullBack(ms: number): void {
    if (this.#isReading) {
      this.#againFromMs = Math.min(this.#againFromMs, ms);
      return;
    }
    this.#moreFromMs = Math.min(this.#moreFromMs ?? Number.POSITIVE_INFINITY, ms);
    if (ms > this.#readTo.ms) return;
    this.#readTo = cursorBefore(ms);
    this.#isPulledBack = true;
  }

  /**
   * Schedules of the lane have come within the horizon. If the lane was not read past all of them, it has more to read.
   * This may happen at any time, also between two rounds of the calendar. While a read is in flight its end is unknown,
   * so they are kept until it ends.
   */
  readOn({ fromMs, toMs }: Coming): void {
    if (this.#isReading) {
      const coming = this.#coming ?? { fromMs, toMs };
      this.#coming = { fromMs: Math.min(coming.fromMs, fromMs), toMs: Math.max(coming.toMs, toMs) };
      return;
    }
    if (this.#moreFromMs === null && toMs > this.#readTo.ms)
      this.pullBack(Math.max(fromMs, Math.floor(this.#readTo.ms) + 1));
  }

  /** It is queued to be read, by what is due at `dueMs`. An earlier entry becomes outdated. Returns its entry. */
  enqueue(dueMs: number): LaneEntry {
    this.#entry = { lane: this, dueMs };
    return this.#entry;
  }

  /** It is no longer queued to be read. */
  dequeue(): void {
    this.#entry = null;
  }

  /** It found no memory, and waits until `untilMs`, monotonic. `isRepeated`: the next time it waits longer. */
  backOff(untilMs: number, isRepeated: boolean): void {
    this.#backoffUntilMs = untilMs;
    if (isRepeated) this.#backoffs++;
  }

  /** A statement reads it. */
  beginRead(): void {
    this.#isReading = true;
  }

  /**
   * The statement read `rows`, at most `limit` of those due until `untilMs`. `accept` takes one into memory and returns false when
   * there is no capacity for it. Returns whether there was capacity for all of them.
   */
  endRead(
    rows: readonly DueSchedule[],
    { limit, untilMs, accept }: { limit: number; untilMs: number; accept: (row: DueSchedule) => boolean },
  ): boolean {
    this.#isPulledBack = false;
    const hadCapacity = this.#takeIn(rows, { limit, untilMs, accept });
    this.#endReading();
    return hadCapacity;
  }

  /** The statement failed: it is read again from where it was read to. */
  failRead(): void {
    this.#moreFromMs ??= this.#readTo.ms;
    this.#endReading();
  }

  /** From which due time on a reconciliation that begins at `atMs` (monotonic) looks, epoch ms. */
  reconciledFromMs(atMs: number): number {
    return this.#reconciled.fromMsAt(atMs, this.#fromMs);
  }

  /** A reconciliation that began at `atMs` (monotonic) found it as it should be: the next one begins at `fromMs`. */
  settle(fromMs: number, atMs: number): void {
    this.#reconciled.settle(fromMs, atMs);
  }

  /** Takes rows into memory, and notes how far it was read. */
  #takeIn(
    rows: readonly DueSchedule[],
    { limit, untilMs, accept }: { limit: number; untilMs: number; accept: (row: DueSchedule) => boolean },
  ): boolean {
    const from = this.#readTo;
    const wasUnread = this.#isUnread;
    this.#readTo = after(untilMs);
    this.#moreFromMs = null;
    this.#isUnread = false;
    for (const [n, row] of rows.entries()) {
      if (accept(row)) {
        this.#backoffs = 0;
        continue;
      }
      const before = rows[n - 1];
      this.#readTo = before ? { ms: before.dueAtMs, id: before.id } : from;
      this.#isUnread = wasUnread && before === undefined;
      this.#moreFromMs = row.dueAtMs;
      return false;
    }
    const last = rows.at(-1);
    if (!last || rows.length < limit) return true;
    this.#readTo = { ms: last.dueAtMs, id: last.id };
    this.#moreFromMs = last.dueAtMs;
    return true;
  }

  /**
   * Ends a read. A schedule that was announced meanwhile may have been committed after the statement's snapshot. One
   * that came within the horizon was committed before, but may be due after the last row that was read.
   */
  #endReading(): void {
    this.#isReading = false;
    const coming = this.#coming;
    this.#coming = null;
    if (coming) this.readOn(coming);
    if (this.#againFromMs === Number.POSITIVE_INFINITY) return;
    this.pullBack(this.#againFromMs);
    this.#againFromMs = Number.POSITIVE_INFINITY;
  }
}

/** The cursor before everything that is due at `ms`. Instants are whole milliseconds. */
const cursorBefore = (ms: number): DueCursor => after(ms - 1);
