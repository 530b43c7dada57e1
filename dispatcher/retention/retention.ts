import type { Logger } from "pino";
import { type Database, DatabaseUnavailable, isLockLost, isStatementTimeout } from "#db/client.ts";
import { type Backlog, NO_BACKLOG } from "#db/queries/retention/step.ts";
import type { Plans } from "#domain/plans.ts";
import { FLEET_SHARD } from "#domain/shard-share.ts";
import { FIRST_ROWS, ROWS_MIN, rowsAfterBatch, rowsAfterTimeout } from "./batch-rows.ts";
import { type Job, retentionJobs } from "./jobs.ts";

/** A round begins no batch after this, ms. */
const ROUND_MS = 20;
/** Rest between two rounds while there is work, as a part of the time that the round took. */
const REST = 0.5;
/** Retention takes no more rows than this, which is more than a dispatcher delivers in the same time. */
const ROWS_PER_MS = 8;
/** Retry delay of a batch that did not get its lock, took too long or lost the database, ms. */
const AGAIN_MS = 5_000;
const PROGRESS_EVERY_MS = 10_000;
/** Interval of counting what is due, ms. */
const LOOK_EVERY_MS = 60_000;
const DEADLINE_MS = 8_000;

/**
 * Settings of retention's own session. It gives up on a lock after 100 ms, because every later request for that lock
 * queues behind it, and on a statement after 5 s.
 */
export const RETENTION_SESSION = { lock_timeout: 100, statement_timeout: 5_000 };

/** A job with its progress. `rowsMax` is the size of its next batch. */
type Pass = {
  job: Job;
  cursor: unknown;
  rowsMax: number;
  dueAtMs: number;
  ranAtMs: number;
  lookedAtMs: number;
  /** Rows since the pass began. */
  rows: number;
  beganAtMs: number;
  loggedAtMs: number;
};

const NEVER = Number.NEGATIVE_INFINITY;
const NOT_BEGUN = { rows: 0, beganAtMs: Number.NaN, loggedAtMs: Number.NaN, lookedAtMs: NEVER };

/** What is counted for `/metrics`. */
type RetentionMetrics = {
  took(job: string, rows: number): void;
  failed(job: string): void;
  backlog(job: string, backlog: Backlog): void;
  partitionsAhead(days: number): void;
  /** Another dispatcher does the work. */
  isElsewhere(): void;
};

type Deps = {
  database: Database;
  plans: Plans;
  shards: { holds(shard: number): boolean };
  monotonic: () => number;
  log: Logger;
  metrics: { retention: RetentionMetrics };
};

/**
 * Deletes data past the retention of its plan and data of deleted accounts, and creates the partitions of the days
 * ahead. Jobs run hourly or each minute, in batches and in turn. They find their work in the database, so another
 * process continues where this one stopped. A job that fails is logged and tried again; it never ends the dispatcher.
 */
export class Retention {
  readonly #deps: Deps;
  readonly #passes: Pass[];
  /** The rest that the last round earned, ms. */
  #restMs = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#passes = retentionJobs(deps.plans, (days) => deps.metrics.retention.partitionsAhead(days)).map((job) => ({
      job,
      cursor: job.first,
      rowsMax: FIRST_ROWS,
      dueAtMs: NEVER,
      ranAtMs: NEVER,
      ...NOT_BEGUN,
    }));
  }

  /**
   * Runs batches of the jobs that are due, in turn, and begins none after `ROUND_MS`. Returns how many rows (or partitions)
   * each job took.
   */
  async runOnce(): Promise<Record<string, number>> {
    const { shards, monotonic, metrics } = this.#deps;
    const beganAtMs = monotonic();
    const taken: Record<string, number> = {};
    if (!shards.holds(FLEET_SHARD)) metrics.retention.isElsewhere();
    while (shards.holds(FLEET_SHARD) && monotonic() < beganAtMs + ROUND_MS) {
      const pass = this.#nextPass();
      if (!pass) break;
      taken[pass.job.name] = (taken[pass.job.name] ?? 0) + (await this.#runBatch(pass));
    }
    const roundMs = monotonic() - beganAtMs;
    const rows = Object.values(taken).reduce((sum, one) => sum + one, 0);
    this.#restMs = Math.max(REST * roundMs, rows / ROWS_PER_MS - roundMs);
    return taken;
  }

  /** How long to wait before the next round, ms; infinite while nothing is due. */
  restMs(): number {
    return this.#deps.shards.holds(FLEET_SHARD) && this.#nextPass() ? this.#restMs : Number.POSITIVE_INFINITY;
  }

  /** Of the passes that are due, the one that has waited longest. */
  #nextPass(): Pass | undefined {
    const nowMs = this.#deps.monotonic();
    let next: Pass | undefined;
    for (const pass of this.#passes) if (pass.dueAtMs <= nowMs && !(next && next.ranAtMs <= pass.ranAtMs)) next = pass;
    return next;
  }

  /** Runs one batch. Returns how many rows it took. */
  async #runBatch(pass: Pass): Promise<number> {
    const { database, monotonic, metrics } = this.#deps;
    const { job } = pass;
    pass.ranAtMs = monotonic();
    if (Number.isNaN(pass.beganAtMs)) pass.beganAtMs = pass.loggedAtMs = pass.ranAtMs;
    try {
      await this.#look(pass);
      const beganAtMs = monotonic();
      const { rows, next } = await database.run(DEADLINE_MS, ({ sql }) => job.batch(sql, pass.cursor, pass.rowsMax));
      if (rows >= pass.rowsMax) pass.rowsMax = rowsAfterBatch(pass.rowsMax, monotonic() - beganAtMs);
      pass.rows += rows;
      metrics.retention.took(job.name, rows);
      if (next === null) this.#end(pass);
      else this.#continue(pass, next);
      return rows;
    } catch (error) {
      this.#fail(pass, error);
      return 0;
    }
  }

  /** Counts what is due for a job, once a minute while it has work. */
  async #look(pass: Pass): Promise<void> {
    const { database, monotonic, metrics } = this.#deps;
    const { job, cursor } = pass;
    if (monotonic() - pass.lookedAtMs < LOOK_EVERY_MS) return;
    pass.lookedAtMs = monotonic();
    const backlog = await database.run(DEADLINE_MS, ({ sql }) => job.backlog(sql, cursor));
    if (!backlog) pass.lookedAtMs = NEVER;
    else metrics.retention.backlog(job.name, backlog);
  }

  #end(pass: Pass): void {
    const { monotonic, log, metrics } = this.#deps;
    const { job, rows, beganAtMs } = pass;
    if (rows > 0) log.info({ job: job.name, rows, ms: Math.round(monotonic() - beganAtMs) }, "retention");
    metrics.retention.backlog(job.name, NO_BACKLOG);
    Object.assign(pass, NOT_BEGUN, { cursor: job.first, dueAtMs: beganAtMs + job.everyMs });
  }

  #continue(pass: Pass, cursor: unknown): void {
    const { monotonic, log } = this.#deps;
    const { job, rows, beganAtMs } = pass;
    pass.cursor = cursor;
    if (monotonic() - pass.loggedAtMs < PROGRESS_EVERY_MS) return;
    pass.loggedAtMs = monotonic();
    log.info({ job: job.name, rows, ms: Math.round(pass.loggedAtMs - beganAtMs) }, "retention continues");
  }

  /** Throws only DatabaseUnavailable. */
  #fail(pass: Pass, error: unknown): void {
    const { monotonic, log, metrics } = this.#deps;
    const { job, rowsMax } = pass;
    metrics.retention.failed(job.name);
    pass.dueAtMs = monotonic() + AGAIN_MS;
    if (isLockLost(error)) return;
    if (isStatementTimeout(error)) {
      if (rowsMax === ROWS_MIN) pass.cursor = job.postpone(pass.cursor);
      pass.rowsMax = rowsAfterTimeout(rowsMax);
      const fields = { job: job.name, rowsMax, timeoutMs: RETENTION_SESSION.statement_timeout };
      log.warn(fields, "a batch of retention took too long and was cancelled; the next one is half as large");
      return;
    }
    if (error instanceof DatabaseUnavailable) throw error;
    Object.assign(pass, NOT_BEGUN, { cursor: job.first, dueAtMs: monotonic() + job.everyMs });
    log.error({ job: job.name, err: error }, "retention failed");
  }
}
