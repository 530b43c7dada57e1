import type { Connection as Database } from "#db/client.ts";
import { after, BEFORE_ALL, type DuePlace, type DueSchedule, readDueOfShards } from "#db/queries/due-schedules.ts";
import { PREFETCH_HORIZON_MS } from "#domain/timing.ts";
import type { Time } from "../runtime/clock.ts";

/** Rows of one reading, over all shards: the answer is in memory as a whole. */
const ROWS_MAX = 8_000;
const ROWS_PER_SHARD_MAX = 2_000;
const DEADLINE_MS = 3_000;
/** A NOTIFY can be lost: so often everything up to the horizon is read again, ms. */
const SWEEP_EVERY_MS = 5_000;

/** How far a shard was read, and how far it was swept; null while no sweep is under way. */
type Progress = { readTo: DuePlace; sweptTo: DuePlace | null; sweptAtMs: number };

type Deps = {
  database: Database;
  shards: { owned(): number[] };
  clock: Time;
  intake: { accept(due: DueSchedule[]): void };
};

/**
 * Reads what falls due within the horizon from the shards of this dispatcher: rows, no payloads, changing nothing. It
 * remembers how far each shard was read, so that a row is read once. What is created or moved behind that place comes
 * by NOTIFY, and a slow sweep from the beginning finds what no notification named.
 */
export class Prefetch {
  readonly #deps: Deps;
  readonly #progress = new Map<number, Progress>();
  #hasMore = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** One round; returns how many rows it read. */
  async runOnce(): Promise<number> {
    this.#hasMore = false;
    return (await this.#readForward()) + (await this.#sweep());
  }

  /** Whether the last round left rows that are due within the horizon: there were more than are read at once. */
  hasMore(): boolean {
    return this.#hasMore;
  }

  /** Many schedules of a shard were created: it is read again from the beginning. */
  restartShard(shard: number): void {
    this.#progress.delete(shard);
  }

  /** Notifications may have been missed: everything is read again, also by a reading that is under way. */
  restart(): void {
    this.#progress.clear();
  }

  async #readForward(): Promise<number> {
    const untilMs = this.#deps.clock.now() + PREFETCH_HORIZON_MS;
    const owned = this.#deps.shards.owned();
    for (const id of this.#progress.keys()) if (!owned.includes(id)) this.#progress.delete(id);
    if (owned.length === 0) return 0;
    const shards = owned.map((id) => ({ id, known: this.#progressOf(id) }));
    const { due, reached } = await this.#read(
      shards.map(({ id, known }) => ({ id, from: known.readTo })),
      untilMs,
    );
    for (const { id, known } of shards) known.readTo = reached.get(id) ?? after(untilMs);
    this.#deps.intake.accept(due);
    return due.length;
  }

  async #sweep(): Promise<number> {
    const now = this.#deps.clock.monotonic();
    const isDue = (one: Progress) => now - one.sweptAtMs >= SWEEP_EVERY_MS || one.sweptTo !== null;
    const shards = [...this.#progress].filter(([, one]) => isDue(one));
    if (shards.length === 0) return 0;
    const { due, reached } = await this.#read(
      shards.map(([id, one]) => ({ id, from: one.sweptTo ?? BEFORE_ALL })),
      this.#deps.clock.now() + PREFETCH_HORIZON_MS,
    );
    for (const [id, one] of shards) {
      one.sweptAtMs = now;
      one.sweptTo = reached.get(id) ?? null;
    }
    this.#deps.intake.accept(due);
    return due.length;
  }

  async #read(shards: { id: number; from: DuePlace }[], untilMs: number) {
    const limit = Math.min(Math.ceil(ROWS_MAX / shards.length), ROWS_PER_SHARD_MAX);
    const due = await this.#deps.database.run(DEADLINE_MS, ({ sql }) => readDueOfShards(sql, shards, untilMs, limit));
    const reached = reachedBy(due, limit);
    if (reached.size > 0) this.#hasMore = true;
    return { due, reached };
  }

  /** A restart that comes while a shard is read takes its progress out of the map: what the reading notes is dropped. */
  #progressOf(id: number): Progress {
    const initial = { readTo: BEFORE_ALL, sweptTo: null, sweptAtMs: this.#deps.clock.monotonic() };
    const known = this.#progress.get(id) ?? initial;
    this.#progress.set(id, known);
    return known;
  }
}

/** The place up to which each shard that filled its limit was read: the rest follows in the next round. */
function reachedBy(due: readonly DueSchedule[], limit: number): Map<number, DuePlace> {
  const counts = new Map<number, { n: number; last: DuePlace }>();
  for (const { shard, dueAtMs, id } of due) {
    counts.set(shard, { n: (counts.get(shard)?.n ?? 0) + 1, last: { ms: dueAtMs, id } });
  }
  const reached = new Map<number, DuePlace>();
  for (const [shard, { n, last }] of counts) if (n >= limit) reached.set(shard, last);
  return reached;
}
