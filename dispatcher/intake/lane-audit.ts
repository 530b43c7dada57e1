import type { Database } from "#db/client.ts";
import { auditLanes, type LaneId } from "#db/queries/schedules/due-lanes.ts";
import type { Time } from "../runtime/clock.ts";
import { INTAKE } from "../tuning/intake.ts";
import { STATEMENTS } from "../tuning/statements.ts";

/** The dispatcher that owns this shard checks the lanes of all shards. Fixed by there being one of them. */
const AUDITED_BY = 0;

type Deps = {
  database: Database;
  clock: Pick<Time, "monotonic">;
  shards: { holds(shard: number): boolean };
  log: { warn(mended: { missing: number; late: number }, message: string): void };
  metrics: { mended(entries: number): void };
};

/**
 * Checks all lanes in a repeated walk, and repairs calendar entries that are missing or too late. Only a schedule
 * inserted without the create functions can leave such an entry.
 */
export class LaneAudit {
  readonly #deps: Deps;
  #after: LaneId | null = null;
  #nextAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Runs one step of a walk, or none if the last walk ended recently. Returns how many entries it repaired. */
  async runOnce(): Promise<number> {
    const { database, clock, shards, log, metrics } = this.#deps;
    if (!shards.holds(AUDITED_BY) || clock.monotonic() < this.#nextAtMs) return 0;
    const { missing, late, next } = await database.run(STATEMENTS.deadlineMs, ({ sql }) =>
      auditLanes(sql, this.#after, INTAKE.auditedLanesMax),
    );
    this.#after = next;
    if (next === null) this.#nextAtMs = clock.monotonic() + STATEMENTS.fullEveryMs;
    metrics.mended(missing + late);
    if (missing + late > 0) log.warn({ missing, late }, "entries of the calendar of lanes were repaired");
    return missing + late;
  }
}
