import type { Database } from "#db/client.ts";
import type { DueCursor } from "#db/queries/schedules/due.ts";
import { findLanesWithMore } from "#db/queries/schedules/due-lanes.ts";
import type { Deliveries } from "../delivery/deliveries.ts";
import type { Delivery } from "../delivery/delivery.ts";
import type { Time } from "../runtime/clock.ts";
import { INTAKE } from "../tuning/intake.ts";
import { STATEMENTS } from "../tuning/statements.ts";
import type { Lane } from "./lane.ts";
import type { Lanes } from "./lanes.ts";
import { LATE_COMMIT_MS } from "./reconciled.ts";

type Deps = {
  database: Database;
  clock: Time;
  lanes: Lanes;
  calendar: { watchedTo(shard: number): DueCursor };
  deliveries: Deliveries;
};

/**
 * Reconciles lanes with the table: does the table have more open schedules, up to the cursor that the lane should know,
 * than are in memory? This happens when a transaction commits after the lane was read past its schedules; an entry in
 * the calendar does not announce a lane that is already awake. A lane that differs is read again; a lane that was read
 * meanwhile is reconciled again. What was due a while before the last reconciliation is left out, so that a busy lane's
 * deliveries of the last hours are not passed while a held snapshot keeps their rows.
 */
export class Reconciliation {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Runs one statement for a bounded number of lanes. Returns how many it reconciled. */
  async runOnce(): Promise<number> {
    const { database, clock, lanes, deliveries } = this.#deps;
    const reconciled = lanes.takeUnreconciled(STATEMENTS.rowsMax, clock.monotonic() - INTAKE.reconcileEveryMs);
    if (reconciled.length === 0) return 0;
    const [nowMs, atMs] = [clock.now(), clock.monotonic()];
    const asked = new Map(
      reconciled.map((lane) => {
        const { key, accountId, env, readTo, moreFromMs } = lane;
        const [fromMs, to] = [lane.reconciledFromMs(atMs), this.#knownTo(lane)];
        return [key, { key, accountId, env, readTo, moreFromMs, fromMs, to }];
      }),
    );
    const open = deliveries.countHolders(
      ({ memory, claim }) => memory && !claim,
      (delivery) => (isBetween(delivery, asked.get(delivery.lane)) ? delivery.lane : null),
    );
    const oldestMs = deliveries.oldestDueOf(new Set(asked.keys()));
    const known = [...asked.values()].map((lane) => ({ ...lane, known: open.get(lane.key) ?? 0 }));
    const more = new Set(await database.run(STATEMENTS.deadlineMs, ({ sql }) => findLanesWithMore(sql, known)));
    for (const [n, lane] of reconciled.entries()) {
      const then = known[n];
      const isSame = lane.readTo === then?.readTo && lane.moreFromMs === then?.moreFromMs;
      if (!isSame || then === undefined) lanes.reconcileAgain(lane);
      else if (more.has(n)) lanes.readAgain(lane, then.fromMs);
      else lane.settle(Math.min(nowMs - LATE_COMMIT_MS, oldestMs.get(lane.key) ?? nowMs), atMs);
    }
    return reconciled.length;
  }

  /** The cursor up to which all schedules of the lane should be in memory. */
  #knownTo({ readTo, moreFromMs, shard }: Lane): DueCursor {
    if (moreFromMs !== null) return readTo;
    const watchedTo = this.#deps.calendar.watchedTo(shard);
    return watchedTo.ms > readTo.ms ? watchedTo : readTo;
  }
}

type Part = { fromMs: number; to: DueCursor };

const isBetween = ({ dueAtMs, id }: Delivery, part: Part | undefined): boolean =>
  part !== undefined &&
  dueAtMs >= part.fromMs &&
  (dueAtMs < part.to.ms || (dueAtMs === part.to.ms && id <= part.to.id));
