import type { Logger } from "pino";
import { type Database, DatabaseUnavailable, type Sql } from "#db/client.ts";
import { groupDeadSchedules } from "#db/queries/notices/death-groups.ts";
import { makeDeadNotice } from "#db/queries/notices/make-dead-notice.ts";
import { makeQuotaNotices } from "#db/queries/notices/make-quota-notices.ts";
import { countWaitingNotices } from "#db/queries/notices/send.ts";
import { FIRST_ACCOUNT, type WalkFrom } from "#db/queries/retention/account-walk.ts";
import type { Plans } from "#domain/plans.ts";
import { FLEET_SHARD } from "#domain/shard-share.ts";

/** The most dead schedules per statement, such statements per round, and notices created per round. */
const DEATHS_MAX = 500;
const BATCHES_MAX = 4;
const NOTICES_MAX = 50;
const DEADLINE_MS = 8_000;
/** Pause after an unexpected error, because the next round would probably fail in the same way, ms. */
const AGAIN_MS = 60_000;

type Deps = {
  database: Database;
  plans: Plans;
  shards: { holds(shard: number): boolean };
  clock: { now(): number };
  log: Logger;
  metrics: { noticesWaiting(n: number): void };
};

/**
 * Creates notices for owners: of dead schedules, in groups, and of the quota, for a thousand accounts in each round.
 * One process of the fleet does it. If two did, each death and each quota level would still be in one notice.
 * `NoticeSender` sends the notices.
 */
export class Notices {
  readonly #deps: Deps;
  #quotasFrom: WalkFrom = FIRST_ACCOUNT;
  #pausedUntilMs = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Runs one round of about a second at most. Returns what it took and created. Throws only DatabaseUnavailable. */
  async runOnce(): Promise<{ deaths: number; dead: number; quota: number }> {
    const { shards, metrics, log, clock } = this.#deps;
    const made = { deaths: 0, dead: 0, quota: 0 };
    if (!shards.holds(FLEET_SHARD)) {
      metrics.noticesWaiting(0);
      return made;
    }
    if (clock.now() < this.#pausedUntilMs) return made;
    try {
      made.deaths = await this.#groupDeaths();
      made.dead = await this.#makeDeadNotices();
      made.quota = await this.#makeQuotaNotices();
      metrics.noticesWaiting(await this.#run((sql) => countWaitingNotices(sql)));
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error;
      this.#pausedUntilMs = clock.now() + AGAIN_MS;
      log.error({ err: error }, "notices could not be made");
    }
    return made;
  }

  async #groupDeaths(): Promise<number> {
    let deaths = 0;
    for (let batch = 0; batch < BATCHES_MAX; batch++) {
      const taken = await this.#run((sql) => groupDeadSchedules(sql, DEATHS_MAX));
      deaths += taken;
      if (taken < DEATHS_MAX) break;
    }
    return deaths;
  }

  async #makeDeadNotices(): Promise<number> {
    let made = 0;
    while (made < NOTICES_MAX && (await this.#run((sql) => makeDeadNotice(sql, this.#deps.clock.now())))) made++;
    return made;
  }

  async #makeQuotaNotices(): Promise<number> {
    const { plans, clock } = this.#deps;
    const { rows, next } = await this.#run((sql) => makeQuotaNotices(sql, plans, this.#quotasFrom, clock.now()));
    this.#quotasFrom = next ?? FIRST_ACCOUNT;
    return rows;
  }

  #run<R>(work: (sql: Sql) => Promise<R>): Promise<R> {
    return this.#deps.database.run(DEADLINE_MS, ({ sql }) => work(sql));
  }
}
