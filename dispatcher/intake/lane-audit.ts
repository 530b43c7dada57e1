import type { Connection as Database } from "#db/client.ts";
import { auditLanes, type LaneId } from "#db/queries/schedules/due-lanes.ts";
import type { Time } from "../runtime/clock.ts";

const LANES_MAX = 1_000;
const EVERY_MS = 600_000;
const DEADLINE_MS = 3_000;
/** One dispatcher of the fleet walks over all lanes: the one that owns this shard. */
const AUDITED_BY = 0;

type Deps = {
  database: Database;
  clock: Pick<Time, "monotonic">;
  shards: { holds(shard: number): boolean };
  log: { warn(mended: { missing: number; late: number }, message: string): void };
  metrics: { mended(entries: number): void };
};

/**
 * Walks over all lanes again and again, and mends entries of the calendar that are missing or too late. Only a schedule
 * that was inserted past the create functions, or a create of an earlier version, can leave one.
 */
export class LaneAudit {
  readonly #deps: Deps;
  #after: LaneId | null = null;
  #nextAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** One step of a walk, or none while the last one is not long ago; returns how many entries it mended. */
  async runOnce(): Promise<number> {
    const { database, clock, shards, log, metrics } = this.#deps;
    if (!shards.holds(AUDITED_BY) || clock.monotonic() < this.#nextAtMs) return 0;
    const { missing, late, next } = await database.run(DEADLINE_MS, ({ sql }) =>
      auditLanes(sql, this.#after, LANES_MAX),
    );
    this.#after = next;
    if (next === null) this.#nextAtMs = clock.monotonic() + EVERY_MS;
    metrics.mended(missing + late);
    if (missing + late > 0) log.warn({ missing, late }, "entries of the calendar of lanes were mended");
    return missing + late;
  }
}
