import type { Database } from "#db/client.ts";
import { raiseLanes } from "#db/queries/schedules/due-lanes.ts";
import { PREFETCH_HORIZON_MS } from "#domain/timing.ts";
import { laneKey } from "../delivery/delivery.ts";
import type { Time } from "../runtime/clock.ts";
import { INTAKE } from "../tuning/intake.ts";
import { STATEMENTS } from "../tuning/statements.ts";
import type { Lanes } from "./lanes.ts";

type Deps = { database: Database; clock: Time; lanes: Lanes; recovery: { recoveredToMs(): number } };

/** Puts idle lanes back: raises their calendar entries to what is due next, and removes the lanes from memory. */
export class IdleLanes {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Runs one statement for a bounded number of lanes. Returns how many were idle. */
  async runOnce(): Promise<number> {
    const { database, clock, lanes, recovery } = this.#deps;
    const idle = lanes.takeIdle(INTAKE.idleLanesMax);
    if (idle.length === 0) return 0;
    const usedAtMs = new Map(idle.map((lane) => [lane, lane.usedAtMs]));
    const raised = await database.run(STATEMENTS.deadlineMs, ({ sql }) =>
      raiseLanes(sql, idle, recovery.recoveredToMs()),
    );
    const soonMs = clock.now() + PREFETCH_HORIZON_MS;
    for (const { dueAtMs, ...id } of raised) {
      const lane = lanes.get(laneKey(id));
      if (!lane) continue;
      if (dueAtMs !== null && dueAtMs <= soonMs) lanes.readAgain(lane, dueAtMs);
      // Keep the lane if something was announced while its entry was raised.
      else if (lane.usedAtMs === usedAtMs.get(lane) && lanes.memoryOf(lane) === 0 && !lane.isReading)
        lanes.forget(lane);
    }
    return idle.length;
  }
}
