import type { Database } from "#db/client.ts";
import type { DuePlace } from "#db/queries/schedules/due.ts";
import { findLanesWithMore } from "#db/queries/schedules/due-lanes.ts";
import type { Deliveries } from "../delivery/deliveries.ts";
import type { Delivery } from "../delivery/delivery.ts";
import type { Time } from "../runtime/clock.ts";
import type { Lane } from "./lane.ts";
import type { Lanes } from "./lanes.ts";

const LANES_MAX = 500;
const COMPARE_EVERY_MS = 3_500;
const DEADLINE_MS = 3_000;

type Deps = {
  database: Database;
  clock: Time;
  lanes: Lanes;
  calendar: { watchedTo(shard: number): DuePlace };
  deliveries: Deliveries;
};

/**
 * Compares lanes with the table: does the table have more open schedules, up to the place that the lane should know,
 * than are in memory? This happens when a transaction commits after the lane was read past its schedules; an entry in
 * the calendar does not announce a lane that is already awake. A lane that differs is read again; a lane that was read
 * meanwhile is compared again.
 */
export class Comparison {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Runs one statement for a bounded number of lanes. Returns how many it compared. */
  async runOnce(): Promise<number> {
    const { database, clock, lanes, deliveries } = this.#deps;
    const compared = lanes.takeUncompared(LANES_MAX, clock.monotonic() - COMPARE_EVERY_MS);
    if (compared.length === 0) return 0;
    const asked = new Map(compared.map((lane) => [lane.key, { ...lane, to: this.#knownTo(lane) }]));
    const open = deliveries.countHolders(
      ({ memory, claim }) => memory && !claim,
      (delivery) => (isUpTo(delivery, asked.get(delivery.lane)?.to) ? delivery.lane : null),
    );
    const known = [...asked.values()].map((lane) => ({ ...lane, known: open.get(lane.key) ?? 0 }));
    const more = new Set(await database.run(DEADLINE_MS, ({ sql }) => findLanesWithMore(sql, known)));
    for (const [n, lane] of compared.entries()) {
      const then = known[n];
      const isSame = lane.readTo === then?.readTo && lane.moreFromMs === then?.moreFromMs;
      if (!isSame) lanes.compareAgain(lane);
      else if (more.has(n)) lanes.readAgain(lane, Number.NEGATIVE_INFINITY);
    }
    return compared.length;
  }

  /** The place up to which all schedules of the lane should be in memory. */
  #knownTo({ readTo, moreFromMs, shard }: Lane): DuePlace {
    if (moreFromMs !== null) return readTo;
    const watchedTo = this.#deps.calendar.watchedTo(shard);
    return watchedTo.ms > readTo.ms ? watchedTo : readTo;
  }
}

const isUpTo = ({ dueAtMs, id }: Delivery, to: DuePlace | undefined): boolean =>
  to !== undefined && (dueAtMs < to.ms || (dueAtMs === to.ms && id <= to.id));
