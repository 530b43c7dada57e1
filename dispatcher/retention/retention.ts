import type { Logger } from "pino";
import { type Database, DatabaseUnavailable, isLockLost } from "#db/client.ts";
import { FIRST_ACCOUNT, type WalkFrom } from "#db/queries/retention/account-walk.ts";
import type { Plans } from "#domain/plans.ts";
import { FLEET_SHARD } from "#domain/shard-share.ts";
import { type Job, retentionJobs } from "./jobs.ts";

/** Longest round, ms. There is one a second, so retention uses at most a fifth of one connection's time. */
const SLICE_MS = 200;
/** Retry delay of a batch that did not get its lock or lost the database, ms. */
const AGAIN_MS = 5_000;
const PROGRESS_EVERY_MS = 10_000;
const DEADLINE_MS = 8_000;

/**
 * Settings of retention's own session. It gives up on a lock after 100 ms, because every later request for that lock
 * queues behind it, and on a statement after 5 s.
 */
export const RETENTION_SESSION = { lock_timeout: 100, statement_timeout: 5_000 };

/**
 * The progress of a job: where the next batch starts, how many rows it has taken, when it began and was last logged.
 */
type Pass = { job: Job; dueAtMs: number; from: WalkFrom; rows: number; beganAtMs: number; loggedAtMs: number };

const NOT_BEGUN = { from: FIRST_ACCOUNT, rows: 0, beganAtMs: Number.NaN, loggedAtMs: Number.NaN };

type Deps = {
  database: Database;
  plans: Plans;
  shards: { holds(shard: number): boolean };
  monotonic: () => number;
  log: Logger;
};

/**
 * Deletes data past the retention of its plan and data of deleted accounts, and creates the partitions of the days
 * ahead. Jobs run one after the other, in batches, hourly or each minute. They find their work in the database, so
 * another process continues where this one stopped. A job that fails is logged and tried again; it never ends the
 * dispatcher.
 */
export class Retention {
  readonly #deps: Deps;
  readonly #passes: Pass[];

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#passes = retentionJobs(deps.plans).map((job) => ({ job, dueAtMs: Number.NEGATIVE_INFINITY, ...NOT_BEGUN }));
  }

  /**
   * Runs the jobs that are due, for `SLICE_MS` at most. Returns how many rows (or partitions) each job took.
   */
  async runOnce(): Promise<Record<string, number>> {
    const { shards, monotonic } = this.#deps;
    const endsAtMs = monotonic() + SLICE_MS;
    const taken: Record<string, number> = {};
    while (shards.holds(FLEET_SHARD) && monotonic() < endsAtMs) {
      const pass = this.#passes.find(({ dueAtMs }) => dueAtMs <= monotonic());
      if (!pass) break;
      taken[pass.job.name] = (taken[pass.job.name] ?? 0) + (await this.#runBatch(pass));
    }
    return taken;
  }

  /** Runs one batch. Returns how many rows it took. */
  async #runBatch(pass: Pass): Promise<number> {
    const { database, monotonic, log } = this.#deps;
    const { job } = pass;
    if (Number.isNaN(pass.beganAtMs)) pass.beganAtMs = pass.loggedAtMs = monotonic();
    try {
      const { rows, next } = await database.run(DEADLINE_MS, ({ sql }) => job.batch(sql, pass.from));
      pass.rows += rows;
      this.#progress(pass, next);
      return rows;
    } catch (error) {
      pass.dueAtMs = monotonic() + AGAIN_MS;
      if (isLockLost(error)) return 0;
      if (error instanceof DatabaseUnavailable) throw error;
      Object.assign(pass, NOT_BEGUN, { dueAtMs: monotonic() + job.everyMs });
      log.error({ job: job.name, err: error }, "retention failed");
      return 0;
    }
  }

  #progress(pass: Pass, next: WalkFrom | null): void {
    const { monotonic, log } = this.#deps;
    const { job, rows } = pass;
    const ms = Math.round(monotonic() - pass.beganAtMs);
    if (next === null) {
      if (rows > 0) log.info({ job: job.name, rows, ms }, "retention");
      Object.assign(pass, NOT_BEGUN, { dueAtMs: pass.beganAtMs + job.everyMs });
      return;
    }
    pass.from = next;
    if (monotonic() - pass.loggedAtMs < PROGRESS_EVERY_MS) return;
    pass.loggedAtMs = monotonic();
    log.info({ job: job.name, rows, ms }, "retention continues");
  }
}
