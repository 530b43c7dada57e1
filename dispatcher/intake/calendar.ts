import type { Connection as Database } from "#db/client.ts";
import { after, BEFORE_ALL, type DuePlace } from "#db/queries/schedules/due.ts";
import { BEFORE_ALL_LANES, findComingLanes, type LanePlace, readDueLanes } from "#db/queries/schedules/due-lanes.ts";
import { PREFETCH_HORIZON_MS } from "#domain/timing.ts";
import { laneKey } from "../delivery/delivery.ts";
import type { Time } from "../runtime/clock.ts";
import type { Lanes } from "./lanes.ts";

/** Schedules that one statement looks at, and lanes of one sweep, over all shards. */
const COMING_MAX = 8_000;
const SWEPT_MAX = 4_000;
const DEADLINE_MS = 3_000;
/** A notification can be lost: so often the calendar is swept, ms. */
const SWEEP_EVERY_MS = 5_000;
/** A place that is further ahead than the horizon by this is from before the database's clock was set back. */
const AHEAD_MAX_MS = 1_000;

/**
 * How far a shard was watched: every schedule up to there is in memory, or its lane is known to have more. And how far
 * its calendar was swept; null while no sweep is under way.
 */
type Progress = { watchedTo: DuePlace; sweptTo: LanePlace | null; sweptAtMs: number };

type Deps = {
  database: Database;
  shards: { owned(): number[] };
  clock: Time;
  lanes: Pick<Lanes, "wake" | "expect" | "hasRoom">;
};

/**
 * Says which lanes of this dispatcher's shards have something due within the horizon. Each schedule is seen once, when it
 * comes within the horizon, so that it costs nothing that thousands of lanes are awake. What was within the horizon
 * before, that of a shard that was taken over for instance, is found by a sweep of the calendar. What is created behind
 * the place that was watched comes by NOTIFY; a slow sweep finds what no notification named.
 */
export class Calendar {
  readonly #deps: Deps;
  readonly #progress = new Map<number, Progress>();
  #watchedToMs = Number.NEGATIVE_INFINITY;
  #hasMore = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** One round; returns how many lanes it found. */
  async runOnce(): Promise<number> {
    this.#hasMore = false;
    return (await this.#watch()) + (await this.#sweep());
  }

  /** Whether the last round left something. */
  hasMore(): boolean {
    return this.#hasMore && this.#deps.lanes.hasRoom();
  }

  /** Notifications may have been missed: the sweep begins now. */
  sweepSoon(): void {
    for (const one of this.#progress.values()) one.sweptAtMs = Number.NEGATIVE_INFINITY;
  }

  /** Up to when lanes are to be read now, so that nothing is left between that and what comes next; epoch ms. */
  untilMs(): number {
    return Math.max(this.#deps.clock.now() + PREFETCH_HORIZON_MS, this.#watchedToMs);
  }

  /** How far a shard was watched. */
  watchedTo(shard: number): DuePlace {
    return this.#progress.get(shard)?.watchedTo ?? BEFORE_ALL;
  }

  /** Looks at what has come within the horizon since the last round. */
  async #watch(): Promise<number> {
    const { shards, clock, database, lanes } = this.#deps;
    const owned = shards.owned();
    for (const id of this.#progress.keys()) if (!owned.includes(id)) this.#progress.delete(id);
    const untilMs = clock.now() + PREFETCH_HORIZON_MS;
    const watched = owned.flatMap((id) => {
      const known = this.#progress.get(id);
      if (known && known.watchedTo.ms <= untilMs + AHEAD_MAX_MS) return [{ id, from: known.watchedTo }];
      // The sweep that begins now finds what is due before.
      const sweep = { sweptTo: BEFORE_ALL_LANES, sweptAtMs: clock.monotonic() };
      this.#progress.set(id, { watchedTo: after(untilMs), ...sweep });
      return [];
    });
    this.#watchedToMs = untilMs;
    if (watched.length === 0) return 0;
    const limit = Math.ceil(COMING_MAX / watched.length);
    const { coming, reached } = await database.run(DEADLINE_MS, ({ sql }) =>
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

  /** Wakes the lanes whose entries are due, a portion in each round. */
  async #sweep(): Promise<number> {
    const { clock, database, lanes } = this.#deps;
    const now = clock.monotonic();
    const isDue = (one: Progress) => now - one.sweptAtMs >= SWEEP_EVERY_MS || one.sweptTo !== null;
    const swept = [...this.#progress].filter(([, one]) => isDue(one));
    if (swept.length === 0 || !lanes.hasRoom()) return 0;
    const limit = Math.ceil(SWEPT_MAX / swept.length);
    const from = swept.map(([id, one]) => ({ id, from: one.sweptTo ?? BEFORE_ALL_LANES }));
    const untilMs = this.untilMs();
    const due = await database.run(DEADLINE_MS, ({ sql }) => readDueLanes(sql, from, untilMs, limit));
    const found = new Map<number, { last: LanePlace; count: number }>();
    for (const lane of due) {
      const { shard, accountId, env, dueAtMs: ms } = lane;
      lanes.wake(lane, laneKey(lane));
      found.set(shard, { last: { ms, accountId, env }, count: (found.get(shard)?.count ?? 0) + 1 });
    }
    for (const [id, one] of swept) {
      const { last, count } = found.get(id) ?? { last: null, count: 0 };
      if (one.sweptTo === null) one.sweptAtMs = now;
      one.sweptTo = count >= limit ? last : null;
      if (one.sweptTo !== null) this.#hasMore = true;
    }
    return due.length;
  }
}
