import type { Logger } from "pino";
import { type Database, DatabaseUnavailable, isLockLost, type Sql } from "#db/client.ts";
import type { Tenant } from "#db/queries/accounts/tenant.ts";
import { type StepRules, stepRecurrences } from "#db/queries/recurrences/make.ts";
import { findDueTenants, postponeSteps, type SteppedTo, stepTenant } from "#db/queries/recurrences/steps.ts";
import { renewOutdated, ZONE_DATA } from "#db/queries/recurrences/zone-data.ts";
import { hasMoved } from "./zone-data.ts";

/** Longest round, ms. Recurrences use at most half of one connection's time. */
const SLICE_MS = 500;
const TENANTS_MAX = 100;
/** Recurrences of one step, and bytes of their contents. */
const BOUNDS = { countMax: 100, bytesMax: 512 * 1024 };
const DEADLINE_MS = 8_000;
/** Between two looks for recurrences that were computed by older zone data, ms. */
const ZONE_LOOK_EVERY_MS = 10 * 60_000;

type Deps = {
  database: Database;
  rules: StepRules;
  shards: { leased(): readonly number[] };
  monotonic: () => number;
  log: Logger;
  metrics: { recurrences: { behind(seconds: number): void; stepped(steps: readonly SteppedTo[]): void } };
};

/**
 * Makes the occurrences of the recurrences whose shards this dispatcher owns. A step is one transaction that locks recurrences
 * of one account, creates schedules, and stores how far each has come: two dispatchers cannot make the same occurrence, and
 * its idempotency key says so again.
 */
export class Recurrences {
  readonly #deps: Deps;
  #isStopped = false;
  #zoneLookAtMs = Number.NEGATIVE_INFINITY;
  #hasMore = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Starts no further step. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Runs steps for `SLICE_MS` at most. Returns how many recurrences were stepped. Throws only DatabaseUnavailable. */
  async runOnce(): Promise<number> {
    const { shards, monotonic, metrics } = this.#deps;
    const endsAtMs = monotonic() + SLICE_MS;
    let stepped = 0;
    this.#hasMore = false;
    const owned = shards.leased();
    if (this.#isStopped || owned.length === 0) return 0;
    await this.#renewOutdated(owned);
    const due = await this.#run((sql) => findDueTenants(sql, owned, TENANTS_MAX));
    metrics.recurrences.behind(due[0]?.behindS ?? 0);
    for (const tenant of due) {
      if (this.#isStopped) break;
      if (monotonic() >= endsAtMs) {
        this.#hasMore = true;
        break;
      }
      const count = await this.#step(tenant);
      stepped += count;
      this.#hasMore ||= count === BOUNDS.countMax;
    }
    return stepped;
  }

  /** Whether more was due than the last round stepped. */
  hasMore(): boolean {
    return this.#hasMore && !this.#isStopped;
  }

  /** Has the occurrences made anew that other zone data than this process's have put at other instants. */
  async #renewOutdated(owned: readonly number[]): Promise<void> {
    if (this.#deps.monotonic() < this.#zoneLookAtMs) return;
    try {
      const count = await this.#run((sql) => renewOutdated(sql, owned, ZONE_DATA, BOUNDS.countMax, hasMoved));
      this.#hasMore ||= count > 0;
      if (count === 0) this.#zoneLookAtMs = this.#deps.monotonic() + ZONE_LOOK_EVERY_MS;
    } catch (error) {
      if (!isLockLost(error)) throw error;
    }
  }

  async #step(tenant: Tenant): Promise<number> {
    const { rules, log, metrics } = this.#deps;
    let steps: SteppedTo[] = [];
    try {
      const count = await this.#run((sql) =>
        stepTenant(sql, tenant, BOUNDS, async (tx, due, account) => {
          steps = await stepRecurrences(tx, tenant, due, account, rules);
          return steps;
        }),
      );
      metrics.recurrences.stepped(steps);
      return count;
    } catch (error) {
      if (isLockLost(error)) return 0;
      if (error instanceof DatabaseUnavailable) throw error;
      log.error({ account: tenant.accountId, err: error }, "occurrences of recurrences could not be made");
      await this.#run((sql) => postponeSteps(sql, tenant));
      return 0;
    }
  }

  #run<R>(work: (sql: Sql) => Promise<R>): Promise<R> {
    return this.#deps.database.run(DEADLINE_MS, ({ sql }) => work(sql));
  }
}
