import type { Logger } from "pino";
import { type Connection as Database, DatabaseUnavailable, type Sql } from "#db/client.ts";
import { deleteStrayAttempts, dropAttemptPartition, makeAttemptPartitions } from "#db/queries/attempt-partitions.ts";
import { eraseDeletedAccounts } from "#db/queries/erase-account.ts";
import { deleteExpiredSessions, deleteGoneDispatchers, deleteOldPunctuality } from "#db/queries/leftovers.ts";
import {
  deleteOldCounts,
  deleteTerminalSchedules,
  erasePayloads,
  FIRST_ACCOUNT,
  type WalkFrom,
  type WalkStep,
} from "#db/queries/retention.ts";
import type { Plans } from "#domain/plans.ts";

/** Of each round: what retention costs the database is a fifth of a connection at most. */
const SLICE_MS = 200;
const ROWS_MAX = 200;
const HOURLY_MS = 3_600_000;
const EACH_MINUTE_MS = 60_000;
/** What could not have its lock, or broke, is tried again after this. */
const AGAIN_MS = 5_000;
const PROGRESS_EVERY_MS = 10_000;
const DEADLINE_MS = 8_000;
const PARTITION_DAYS_AHEAD = 8;
/** The 30 days that are shown, and the hours and zones at their edge. */
const COUNTS_DAYS = 32;
const GONE_DISPATCHER_DAYS = 7;

/**
 * What retention asks of its own session: it waits for nobody, since whoever comes behind it would wait with it, and a
 * batch that takes longer than its statement may is given up.
 */
export const RETENTION_SESSION = { lock_timeout: 100, statement_timeout: 5_000 };

type Job = {
  name: string;
  everyMs: number;
  /** One batch. `from` is where the one before it ended. */
  batch: (sql: Sql, from: WalkFrom) => Promise<WalkStep>;
};

/**
 * Erases and deletes what the plans no longer keep and what deleted accounts had, and makes the partitions of the days
 * ahead: job after job, each in batches, begun hourly or each minute. Everything is found by what the database says, so
 * whoever owns the fleet's work next goes on where the one before stopped. A job that fails is logged and tried again;
 * it never ends the dispatcher.
 */
export function createRetention(deps: {
  database: Database;
  plans: Plans;
  /** Whether this process does the work that one process of the fleet does: asked again before each batch. */
  isMine: () => boolean;
  monotonic: () => number;
  log: Logger;
}) {
  const { monotonic, log } = deps;
  const passes = jobs(deps.plans).map((job) => ({ job, dueAtMs: Number.NEGATIVE_INFINITY, ...FRESH }));

  const batch = async (pass: (typeof passes)[number]): Promise<number> => {
    const { job } = pass;
    if (Number.isNaN(pass.beganAtMs)) pass.beganAtMs = pass.toldAtMs = monotonic();
    try {
      const { rows, next } = await deps.database.run(DEADLINE_MS, ({ sql }) => job.batch(sql, pass.from));
      pass.rows += rows;
      const ms = Math.round(monotonic() - pass.beganAtMs);
      if (next !== null) {
        pass.from = next;
        if (monotonic() - pass.toldAtMs < PROGRESS_EVERY_MS) return rows;
        pass.toldAtMs = monotonic();
        log.info({ job: job.name, rows: pass.rows, ms }, "retention goes on");
      } else {
        if (pass.rows > 0) log.info({ job: job.name, rows: pass.rows, ms }, "retention");
        Object.assign(pass, FRESH, { dueAtMs: pass.beganAtMs + job.everyMs });
      }
      return rows;
    } catch (error) {
      pass.dueAtMs = monotonic() + AGAIN_MS;
      if (isLocked(error)) return 0;
      if (error instanceof DatabaseUnavailable) throw error;
      Object.assign(pass, FRESH, { dueAtMs: monotonic() + job.everyMs });
      log.error({ job: job.name, err: error }, "retention failed");
      return 0;
    }
  };

  return {
    /** Does what is due, for a fifth of a second at most; returns how many rows (or partitions) each job took. */
    async runOnce(): Promise<Record<string, number>> {
      const endsAtMs = monotonic() + SLICE_MS;
      const taken: Record<string, number> = {};
      while (deps.isMine() && monotonic() < endsAtMs) {
        const pass = passes.find(({ dueAtMs }) => dueAtMs <= monotonic());
        if (!pass) break;
        taken[pass.job.name] = (taken[pass.job.name] ?? 0) + (await batch(pass));
      }
      return taken;
    },
  };
}

const FRESH = { from: FIRST_ACCOUNT, rows: 0, beganAtMs: Number.NaN, toldAtMs: Number.NaN };

// The long ones last, so that none holds back the short ones.
function jobs(plans: Plans): Job[] {
  const windowDays = Math.max(...Object.values(plans).map((plan) => plan.retentionDays));
  return [
    sweep("deleted accounts", 1, (sql) => eraseDeletedAccounts(sql, { rowsMax: ROWS_MAX }), EACH_MINUTE_MS),
    sweep("attempt partitions made", Number.POSITIVE_INFINITY, (sql) =>
      makeAttemptPartitions(sql, PARTITION_DAYS_AHEAD),
    ),
    sweep("attempt partitions dropped", 1, (sql) => dropAttemptPartition(sql, windowDays)),
    sweep("stray attempts", ROWS_MAX, (sql) => deleteStrayAttempts(sql, windowDays, ROWS_MAX)),
    sweep("sessions", ROWS_MAX, (sql) => deleteExpiredSessions(sql, ROWS_MAX)),
    sweep("dispatchers", ROWS_MAX, (sql) => deleteGoneDispatchers(sql, GONE_DISPATCHER_DAYS, ROWS_MAX)),
    sweep("public counts", ROWS_MAX, (sql) => deleteOldPunctuality(sql, COUNTS_DAYS, ROWS_MAX)),
    walk("payloads", (sql, batch) => erasePayloads(sql, plans, batch)),
    walk("schedules", (sql, batch) => deleteTerminalSchedules(sql, plans, batch)),
    walk("counts", (sql, batch) => deleteOldCounts(sql, COUNTS_DAYS, batch)),
  ];
}

/** A job that takes batches until one is not full. */
function sweep(name: string, full: number, take: (sql: Sql) => Promise<number>, everyMs = HOURLY_MS): Job {
  const batch: Job["batch"] = async (sql, from) => {
    const rows = await take(sql);
    return { rows, next: rows >= full ? from : null };
  };
  return { name, everyMs, batch };
}

/** A job that goes from account to account. */
function walk(name: string, take: (sql: Sql, batch: { from: WalkFrom; rowsMax: number }) => Promise<WalkStep>): Job {
  return { name, everyMs: HOURLY_MS, batch: (sql, from) => take(sql, { from, rowsMax: ROWS_MAX }) };
}

// A statement that ran into lock_timeout, or that a deadlock ended: somebody was quicker.
function isLocked(error: unknown): boolean {
  const code = ((error as Error).cause as { code?: string } | undefined)?.code;
  return error instanceof DatabaseUnavailable && (code === "55P03" || code === "40P01");
}
