import type { Database } from "#db/client.ts";
import type { AttemptRecord } from "#db/queries/attempts/record.ts";
import { readExpiredClaims } from "#db/queries/schedules/expired-claims.ts";
import { CLAIM_LEASE_MS } from "#domain/timing.ts";
import type { Clock } from "../runtime/clock.ts";
import { interruptedRecord } from "./attempt-record.ts";
import type { OutageWatch } from "./outage-watch.ts";

const ROWS_MAX = 500;
const DEADLINE_MS = 3_000;
/** The most interrupted attempts that wait to be recorded. No batch is read that could exceed it. */
export const INTERRUPTED_MAX = 2 * ROWS_MAX;

type Deps = {
  database: Database;
  shards: { owned(): number[] };
  recorder: {
    holds(scheduleId: string): boolean;
    interrupted(): number;
    addInterrupted(record: AttemptRecord): void;
  };
  clock: Pick<Clock, "sinceStepMs" | "monotonic">;
  outage: OutageWatch;
};

/**
 * Records an attempt as interrupted when its lease ran out without an outcome, so that it is repeated. Its dispatcher
 * died or was cut off, and nobody knows whether the target was reached. An attempt whose outcome this process holds is
 * left alone. After an outage, and after a step of the database's clock, recovery waits, because leases may look
 * expired that are not.
 */
export class Recovery {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Passes expired attempts to the recorder. Returns how many. */
  async runOnce(): Promise<number> {
    const { database, shards, recorder, clock, outage } = this.#deps;
    if (clock.sinceStepMs() <= CLAIM_LEASE_MS || !outage.mayRecover(clock.monotonic())) return 0;
    if (recorder.interrupted() + ROWS_MAX > INTERRUPTED_MAX) return 0;
    const owned = shards.owned();
    if (owned.length === 0) return 0;
    const expired = await database.run(DEADLINE_MS, ({ sql }) => readExpiredClaims(sql, owned, ROWS_MAX));
    const lost = expired.filter(({ id }) => !recorder.holds(id));
    for (const claim of lost) recorder.addInterrupted(interruptedRecord(claim));
    return lost.length;
  }
}
