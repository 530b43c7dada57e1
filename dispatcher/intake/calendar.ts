import type { Connection as Database } from "#db/client.ts";
import { BEFORE_ALL_LANES, type DueLane, type LanePlace, readDueLanes } from "#db/queries/due-lanes.ts";
import { PREFETCH_HORIZON_MS } from "#domain/timing.ts";
import { laneKey } from "../delivery/delivery.ts";
import type { Time } from "../runtime/clock.ts";
import type { Lanes } from "./lanes.ts";

/** Lanes of one reading, over all shards. */
const LANES_MAX = 4_000;
const DEADLINE_MS = 3_000;
/** A notification can be lost: so often the calendar is read again, ms. */
const SWEEP_EVERY_MS = 5_000;

/** How far the calendar of a shard was read, and how far it was swept; null while no sweep is under way. */
type Progress = { readTo: LanePlace; sweptTo: LanePlace | null; sweptAtMs: number };

type Deps = {
  database: Database;
  shards: { owned(): number[] };
  clock: Time;
  lanes: Pick<Lanes, "wake" | "hasRoom">;
};

/**
 * Reads which lanes of this dispatcher's shards have something due within the horizon, and wakes them. It remembers how
 * far each shard's calendar was read. An entry that was lowered behind that place comes by NOTIFY, and a slow sweep finds
 * what no notification named.
 */
export class Calendar {
  readonly #deps: Deps;
  readonly #progress = new Map<number, Progress>();
  #hasMore = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** One round; returns how many entries it read. */
  async runOnce(): Promise<number> {
    return (await this.#readForward()) + (await this.#sweep());
  }

  /** Whether the last round left lanes that are due within the horizon. */
  hasMore(): boolean {
    return this.#hasMore && this.#deps.lanes.hasRoom();
  }

  /** Notifications may have been missed: the sweep begins now. */
  sweepSoon(): void {
    for (const one of this.#progress.values()) one.sweptAtMs = Number.NEGATIVE_INFINITY;
  }

  async #readForward(): Promise<number> {
    const owned = this.#deps.shards.owned();
    for (const id of this.#progress.keys()) if (!owned.includes(id)) this.#progress.delete(id);
    this.#hasMore = false;
    if (owned.length === 0 || !this.#deps.lanes.hasRoom()) return 0;
    const shards = owned.map((id) => ({ id, known: this.#progressOf(id) }));
    const { read, reached, full } = await this.#read(shards.map(({ id, known }) => ({ id, from: known.readTo })));
    this.#hasMore = full.size > 0;
    for (const { id, known } of shards) known.readTo = reached.get(id) ?? known.readTo;
    return read;
  }

  async #sweep(): Promise<number> {
    const now = this.#deps.clock.monotonic();
    const isDue = (one: Progress) => now - one.sweptAtMs >= SWEEP_EVERY_MS || one.sweptTo !== null;
    const shards = [...this.#progress].filter(([, one]) => isDue(one));
    if (shards.length === 0) return 0;
    const { read, reached, full } = await this.#read(
      shards.map(([id, one]) => ({ id, from: one.sweptTo ?? BEFORE_ALL_LANES })),
    );
    for (const [id, one] of shards) {
      if (one.sweptTo === null) one.sweptAtMs = now;
      one.sweptTo = full.has(id) ? (reached.get(id) ?? null) : null;
    }
    return read;
  }

  /** Reads and wakes lanes; how many, the last place of each shard, and the shards that may have more. */
  async #read(shards: { id: number; from: LanePlace }[]) {
    const limit = Math.ceil(LANES_MAX / shards.length);
    const untilMs = this.#deps.clock.now() + PREFETCH_HORIZON_MS;
    const due = await this.#deps.database.run(DEADLINE_MS, ({ sql }) => readDueLanes(sql, shards, untilMs, limit));
    const reached = new Map<number, LanePlace>();
    const counts = new Map<number, number>();
    for (const lane of due) {
      this.#deps.lanes.wake(lane, laneKey(lane));
      reached.set(lane.shard, placeOf(lane));
      counts.set(lane.shard, (counts.get(lane.shard) ?? 0) + 1);
    }
    const full = new Set([...counts].flatMap(([id, n]) => (n >= limit ? [id] : [])));
    return { read: due.length, reached, full };
  }

  #progressOf(id: number): Progress {
    const initial = { readTo: BEFORE_ALL_LANES, sweptTo: null, sweptAtMs: this.#deps.clock.monotonic() };
    const known = this.#progress.get(id) ?? initial;
    this.#progress.set(id, known);
    return known;
  }
}

const placeOf = ({ dueAtMs: ms, accountId, env }: DueLane): LanePlace => ({ ms, accountId, env });
