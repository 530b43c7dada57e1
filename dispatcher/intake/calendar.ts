import type { Database } from "#db/client.ts";
import { after, BEFORE_ALL, type DueCursor } from "#db/queries/schedules/due.ts";
import { BEFORE_ALL_LANES, findComingLanes, type LaneCursor, readDueLanes } from "#db/queries/schedules/due-lanes.ts";
import { PREFETCH_HORIZON_MS } from "#domain/timing.ts";
import { laneKey } from "../delivery/delivery.ts";
import type { Time } from "../runtime/clock.ts";
import { INTAKE } from "../tuning/intake.ts";
import { STATEMENTS } from "../tuning/statements.ts";
import type { Lanes } from "./lanes.ts";
import { LATE_COMMIT_MS } from "./reconciled.ts";

/** Guards against a clock that was set back: a cursor this far beyond the horizon was noted before that, ms. */
const AHEAD_MAX_MS = 1_000;

/**
 * `watchedTo` is how far a shard was watched: each schedule up to there is in memory, or its lane is known to have more
 * to read. `sweptTo` is how far its calendar was swept; null while no sweep is in progress. `sweptAtMs` is when the last
 * sweep began, and `fullAtMs` when one from the beginning is due, monotonic; `sweptFromMs` is where the next one
 * begins, epoch ms.
 */
type Progress = {
  watchedTo: DueCursor;
  sweptTo: LaneCursor | null;
  sweptAtMs: number;
  sweptFromMs: number;
  fullAtMs: number;
  /** Whether it was swept from its beginning to its end since something may have been missed. */
  isSwept: boolean;
};

type Deps = {
  database: Database;
  shards: { owned(): number[] };
  clock: Time;
  lanes: Pick<Lanes, "wake" | "expect" | "hasCapacity">;
};

/**
 * Finds the lanes of this dispatcher's shards that have something due within the horizon. It sees each schedule once,
 * when the schedule comes within the horizon, so thousands of awake lanes cost nothing. A sweep of the calendar finds
 * what was within the horizon before, for instance in a shard that was taken over. A schedule created before the
 * watched cursor is announced by NOTIFY; a slow sweep finds those that no notification named. It begins at the beginning
 * only when something may have been missed: dead entries are there while a held snapshot keeps them.
 */
export class Calendar {
  readonly #deps: Deps;
  readonly #progress = new Map<number, Progress>();
  #watchedToMs = Number.NEGATIVE_INFINITY;
  #hasMore = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Runs one round. Returns how many lanes it found. */
  async runOnce(): Promise<number> {
    this.#hasMore = false;
    return (await this.#watch()) + (await this.#sweep());
  }

  /** Whether the last round stopped at its limit, and there is capacity for more lanes. */
  hasMore(): boolean {
    return this.#hasMore && this.#deps.lanes.hasCapacity();
  }

  /** Starts a sweep now, because notifications may have been missed. */
  sweepSoon(): void {
    for (const one of this.#progress.values()) {
      one.sweptAtMs = one.fullAtMs = Number.NEGATIVE_INFINITY;
      one.isSwept = false;
    }
  }

  /** Whether each lane of the shard with something due within the horizon is awake. */
  isSwept(shard: number): boolean {
    return this.#progress.get(shard)?.isSwept ?? false;
  }

  /** The same, of all shards. */
  areAllSwept(): boolean {
    return this.#progress.values().every(({ isSwept }) => isSwept);
  }

  /** Forgets how far these shards were watched. They may be owned again before the next round, and are swept then. */
  dropShards(shards: ReadonlySet<number>): void {
    for (const shard of shards) this.#progress.delete(shard);
  }

  /** The due time up to which lanes are read now, epoch ms. It leaves no gap before what the next round watches. */
  untilMs(): number {
    return Math.max(this.#deps.clock.now() + PREFETCH_HORIZON_MS, this.#watchedToMs);
  }

  /** How far the shard was watched. */
  watchedTo(shard: number): DueCursor {
    return this.#progress.get(shard)?.watchedTo ?? BEFORE_ALL;
  }

  /** Finds what has come within the horizon since the last round. */
  async #watch(): Promise<number> {
    const { shards, clock, database, lanes } = this.#deps;
    const owned = shards.owned();
    for (const id of this.#progress.keys()) if (!owned.includes(id)) this.#progress.delete(id);
    const untilMs = clock.now() + PREFETCH_HORIZON_MS;
    const watched = owned.flatMap((id) => {
      const known = this.#progress.get(id);
      if (known && known.watchedTo.ms <= untilMs + AHEAD_MAX_MS) return [{ id, from: known.watchedTo }];
      // The sweep that starts here finds what is due before the watched cursor.
      const none = Number.NEGATIVE_INFINITY;
      const sweep = { sweptTo: null, sweptAtMs: none, sweptFromMs: none, fullAtMs: none, isSwept: false };
      this.#progress.set(id, { watchedTo: after(untilMs), ...sweep });
      return [];
    });
    this.#watchedToMs = untilMs;
    if (watched.length === 0) return 0;
    const limit = Math.ceil(INTAKE.atOnceMax / watched.length);
    const { coming, reached } = await database.run(STATEMENTS.deadlineMs, ({ sql }) =>
      findComingLanes(sql, watched, untilMs, limit),
    );
    for (const lane of coming) lanes.expect(lane, laneKey(lane));
    for (const { id } of watched) {
      const known = this.#progress.get(id);
      if (known) known.watchedTo = reached.get(id) ?? after(untilMs);
    }
    if (reached.size > 0) this.#hasMore = true;
    return coming.length;
  }

  /** Wakes lanes whose entries are due, a bounded number in each round. */
  async #sweep(): Promise<number> {
    const { clock, database, lanes } = this.#deps;
    const now = clock.monotonic();
    const isDue = (one: Progress) => now - one.sweptAtMs >= INTAKE.sweepEveryMs || one.sweptTo !== null;
    const swept = [...this.#progress].filter(([, one]) => isDue(one));
    // Lanes that find no capacity stay in the calendar.
    if (!lanes.hasCapacity()) this.sweepSoon();
    if (swept.length === 0 || !lanes.hasCapacity()) return 0;
    for (const [, one] of swept) if (one.sweptTo === null) begin(one, now, clock.now());
    const limit = Math.ceil(INTAKE.sweptMax / swept.length);
    const from = swept.map(([id, one]) => ({ id, from: one.sweptTo ?? BEFORE_ALL_LANES }));
    const untilMs = this.untilMs();
    const due = await database.run(STATEMENTS.deadlineMs, ({ sql }) => readDueLanes(sql, from, untilMs, limit));
    const found = new Map<number, { last: LaneCursor; count: number }>();
    for (const lane of due) {
      const { shard, accountId, env, dueAtMs: ms } = lane;
      lanes.wake(lane, laneKey(lane), true);
      found.set(shard, { last: { ms, accountId, env }, count: (found.get(shard)?.count ?? 0) + 1 });
    }
    for (const [id, one] of swept) {
      const { last, count } = found.get(id) ?? { last: null, count: 0 };
      one.sweptTo = count >= limit ? last : null;
      one.isSwept ||= one.sweptTo === null && one.fullAtMs > now;
      if (one.sweptTo !== null) this.#hasMore = true;
    }
    return due.length;
  }
}

/** A sweep begins: from the beginning when that is due, otherwise a while before the last one began. */
function begin(one: Progress, atMs: number, nowMs: number): void {
  const isFull = atMs >= one.fullAtMs;
  one.sweptTo = isFull ? BEFORE_ALL_LANES : { ...BEFORE_ALL_LANES, ms: one.sweptFromMs };
  if (isFull) one.fullAtMs = atMs + STATEMENTS.fullEveryMs;
  one.sweptAtMs = atMs;
  one.sweptFromMs = nowMs - LATE_COMMIT_MS;
}
