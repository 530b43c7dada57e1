import type { Database } from "#db/client.ts";
import type { AttemptRecord } from "#db/queries/attempts/record.ts";
import { readExpiredClaims } from "#db/queries/schedules/expired-claims.ts";
import { CLAIM_LEASE_MS } from "#domain/timing.ts";
import type { Clock } from "../runtime/clock.ts";
import { STATEMENTS } from "../tuning/statements.ts";
import { interruptedRecord } from "./attempt-record.ts";
import type { OutageWatch } from "./outage-watch.ts";

/**
 * No claim is committed later than this after its statement began, ms. Fixed by the session's statement_timeout, half as long: what was
 * read up to there is all there is.
 */
const CLAIM_COMMITTED_WITHIN_MS = 10_000;
/** Bounds memory: interrupted attempts that wait to be recorded. No batch is read that could exceed it. */
export const INTERRUPTED_MAX = 2 * STATEMENTS.rowsMax;

type Deps = {
  database: Database;
  shards: { leased(): number[] };
  recorder: {
    holds(scheduleId: string): boolean;
    interrupted(): number;
    addInterrupted(record: AttemptRecord): void;
  };
  clock: Pick<Clock, "sinceStepMs" | "monotonic" | "now">;
  outage: OutageWatch;
};

/**
 * Records an attempt as interrupted when its lease ran out without an outcome, so that it is repeated. Its dispatcher
 * died or was cut off, and nobody knows whether the target was reached. An attempt whose outcome this process holds is
 * left alone. After an outage, and after a step of the database's clock, recovery waits, because leases may look
 * expired that are not.
 *
 * A lease is longer than CLAIM_COMMITTED_WITHIN_MS less a round: no claim that is committed later ends before what a round has
 * passed. So each round begins where the last one found no older claim left: a held snapshot keeps the rows of all claims
 * before.
 */
export class Recovery {
  readonly #deps: Deps;
  /** Of each shard, the claims whose lease ended before this are recovered, epoch ms. */
  readonly #recoveredTo = new Map<number, number>();
  #fullAtMs: number;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#fullAtMs = deps.clock.monotonic() + STATEMENTS.fullEveryMs;
  }

  /** A shard was taken over. Its former owner has recovered what ended before `recoveredToMs`; null when that is not known. */
  take(shard: number, recoveredToMs: number | null): void {
    this.#recoveredTo.set(shard, recoveredToMs ?? Number.NEGATIVE_INFINITY);
  }

  /** Claims of this shard, or of every shard that is owned, whose lease ended before this are recovered; epoch ms. */
  recoveredToMs(shard?: number): number {
    const shards = shard === undefined ? this.#deps.shards.leased() : [shard];
    return Math.min(...shards.map((id) => this.#recoveredTo.get(id) ?? Number.NEGATIVE_INFINITY));
  }

  /** Passes expired attempts to the recorder. Returns how many. */
  async runOnce(): Promise<number> {
    const { database, shards, recorder, clock, outage } = this.#deps;
    const isStepped = clock.sinceStepMs() <= CLAIM_LEASE_MS;
    // Leases of later claims may end before.
    if (isStepped) this.#recoveredTo.clear();
    if (isStepped || !outage.mayRecover(clock.monotonic())) return 0;
    if (recorder.interrupted() + STATEMENTS.rowsMax > INTERRUPTED_MAX) return 0;
    const owned = shards.leased();
    if (owned.length === 0) return 0;
    const isFull = clock.monotonic() >= this.#fullAtMs;
    if (isFull) this.#fullAtMs = clock.monotonic() + STATEMENTS.fullEveryMs;
    const nowMs = clock.now();
    const from = owned.map((id) => ({ id, fromMs: isFull ? Number.NEGATIVE_INFINITY : this.recoveredToMs(id) }));
    const expired = await database.run(STATEMENTS.deadlineMs, ({ sql }) =>
      readExpiredClaims(sql, from, STATEMENTS.rowsMax),
    );
    const oldestMs = Math.min(
      nowMs - CLAIM_COMMITTED_WITHIN_MS,
      expired[0]?.claimDeadlineMs ?? Number.POSITIVE_INFINITY,
    );
    for (const { id } of from) this.#recoveredTo.set(id, oldestMs);
    const lost = expired.filter(({ id }) => !recorder.holds(id));
    for (const claim of lost) recorder.addInterrupted(interruptedRecord(claim));
    return lost.length;
  }
}
