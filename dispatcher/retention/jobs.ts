import type { Sql } from "#db/client.ts";
import {
  countDroppablePartitions,
  countPartitionsAhead,
  dropAttemptPartition,
  makeAttemptPartitions,
} from "#db/queries/retention/attempt-partitions.ts";
import {
  countWalk,
  type Due,
  type DueWalk,
  postponeFirst,
  WALK_BEGINS,
  type WalkQueries,
  walkStep,
} from "#db/queries/retention/due-walk.ts";
import {
  countDeletedAccounts,
  type Erasure,
  eraseDeletedAccounts,
  postponeErasure,
} from "#db/queries/retention/erase-account.ts";
import {
  countExpired,
  countOldPunctuality,
  deleteExpired,
  deleteOldPunctuality,
  type Expiry,
  type Since,
} from "#db/queries/retention/expired-rows.ts";
import { countDeletion } from "#db/queries/retention/hourly-counts.ts";
import { countLapsedPlans, lapsePlans } from "#db/queries/retention/lapse-plans.ts";
import { sumPublicDays } from "#db/queries/retention/public-days.ts";
import { type Backlog, NO_BACKLOG, type Step } from "#db/queries/retention/step.ts";
import { payloadErasure, scheduleDeletion } from "#db/queries/retention/terminal-schedules.ts";
import type { Plans } from "#domain/plans.ts";
import { PUBLIC_DAYS } from "#domain/public-days.ts";
import { ROTATION_KEY_HOURS } from "#domain/rotation-keys.ts";
import { SECURITY_EVENT_DAYS } from "#domain/security-events.ts";

const HOURLY_MS = 3_600_000;
const EACH_MINUTE_MS = 60_000;
const PARTITION_DAYS_AHEAD = 8;
/** Days that pages show (30), plus a margin for hours and time zones at the edge. */
const COUNTS_DAYS = 32;
/** The 24 hours that are published, and another 24 for outcomes that were recorded late. */
const PUBLIC_COUNTS_DAYS = 2;
const GONE_DISPATCHER_DAYS = 7;
/** A quota notice belongs to a month. Keep it for two. */
const NOTICES_DAYS = 62;
const OPERATIONS_DAYS = 90;
/** Longer than the day over which created keys are counted. */
const REVOKED_KEYS_DAYS = 30;

export type Job<Cursor = unknown> = {
  /** A label of metrics: it does not change. */
  name: string;
  everyMs: number;
  /** The cursor of the first batch. */
  first: Cursor;
  /** Runs one batch of about `rowsMax` rows. `cursor` is where the previous batch ended. */
  batch(sql: Sql, cursor: Cursor, rowsMax: number): Promise<Step<Cursor>>;
  /** What is due; null while that is not known. */
  backlog(sql: Sql, cursor: Cursor): Promise<Backlog | null>;
  /** Where to go on when even a small batch at `cursor` takes too long. */
  postpone(cursor: Cursor): Cursor;
};

/** All jobs of retention. `onPartitions` is told each minute for how many days after today there are partitions. */
export function retentionJobs(plans: Plans, onPartitions: (days: number) => void = () => {}): Job[] {
  const windowDays = Math.max(...Object.values(plans).map((plan) => plan.retentionDays));
  return [
    deletedAccounts(),
    sweep("lapsed plans", lapsePlans, countLapsedPlans, EACH_MINUTE_MS),
    madePartitions(onPartitions),
    droppedPartitions(windowDays),
    expiry("attempts in the default partition", {
      table: "attempts_default",
      column: "attempted_at",
      hours: 24 * (windowDays + 1),
    }),
    expiry("sessions", { table: "sessions", column: "expires_at", hours: 0 }),
    expiry("revoked keys", { table: "api_keys", column: "revoked_at", hours: 24 * REVOKED_KEYS_DAYS }),
    expiry("sign-in links", { table: "sign_in_tokens", column: "expires_at", hours: 0 }),
    expiry("sign-in requests", { table: "sign_in_requests", column: "asked_at", hours: 1 }),
    expiry("dispatchers", { table: "dispatchers", column: "beat_at", hours: 24 * GONE_DISPATCHER_DAYS }),
    expiry("heartbeats", { table: "heartbeats", column: "beat_at", hours: 24 * GONE_DISPATCHER_DAYS }),
    // Before the job below, which deletes what it sums.
    summedPublicDays(),
    sweep(
      "public counts",
      (sql, rowsMax) => deleteOldPunctuality(sql, PUBLIC_COUNTS_DAYS, rowsMax),
      (sql) => countOldPunctuality(sql, PUBLIC_COUNTS_DAYS),
    ),
    expiry("public days", { table: "public_days", column: "day", hours: 24 * PUBLIC_DAYS }),
    expiry("notices", { table: "notices", column: "created_at", hours: 24 * NOTICES_DAYS }),
    expiry("security events", { table: "security_events", column: "at", hours: 24 * SECURITY_EVENT_DAYS }),
    expiry("rotations of secrets", { table: "secret_rotations", column: "rotated_at", hours: ROTATION_KEY_HOURS }),
    expiry("operations", { table: "operations", column: "ended_at", hours: 24 * OPERATIONS_DAYS }),
    walk("payloads", payloadErasure(plans)),
    walk("schedules", scheduleDeletion(plans)),
    ...hourlyCounts(plans),
  ];
}

function hourlyCounts(plans: Plans): Job[] {
  const days = (of: (plan: Plans[keyof Plans]) => number) =>
    Object.fromEntries(Object.entries(plans).map(([name, plan]) => [name, of(plan)]));
  const windows = days(({ retentionDays }) => retentionDays);
  const always = days(() => COUNTS_DAYS);
  return [
    walk("counts", countDeletion("account_counts", always)),
    walk("counts of hosts", countDeletion("host_counts", windows)),
    walk("counted hosts", countDeletion("counted_hosts", windows)),
  ];
}

const stay = <Cursor>(cursor: Cursor): Cursor => cursor;

function deletedAccounts(): Job {
  return job<Erasure>({
    name: "deleted accounts",
    everyMs: EACH_MINUTE_MS,
    first: null,
    batch: eraseDeletedAccounts,
    backlog: countDeletedAccounts,
    postpone: postponeErasure,
  });
}

function madePartitions(onPartitions: (days: number) => void): Job {
  return job<undefined>({
    name: "attempt partitions made",
    everyMs: EACH_MINUTE_MS,
    first: undefined,
    async batch(sql) {
      try {
        return { rows: await makeAttemptPartitions(sql, PARTITION_DAYS_AHEAD), next: null };
      } finally {
        onPartitions(await countPartitionsAhead(sql));
      }
    },
    backlog: async () => NO_BACKLOG,
    postpone: stay,
  });
}

function droppedPartitions(windowDays: number): Job {
  return job<undefined>({
    name: "attempt partitions dropped",
    everyMs: HOURLY_MS,
    first: undefined,
    // One at a time, since each needs a lock.
    batch: async (sql) => {
      const rows = await dropAttemptPartition(sql, windowDays);
      return { rows, next: rows > 0 ? undefined : null };
    },
    backlog: (sql) => countDroppablePartitions(sql, windowDays),
    postpone: stay,
  });
}

function summedPublicDays(): Job {
  return job<undefined>({
    name: "public days summed",
    everyMs: HOURLY_MS,
    first: undefined,
    batch: async (sql) => ({ rows: await sumPublicDays(sql), next: null }),
    backlog: async () => NO_BACKLOG,
    postpone: stay,
  });
}

/** A job that goes from account to account. */
function walk<D extends Due>(name: string, queries: WalkQueries<D>): Job {
  return job<DueWalk<D>>({
    name,
    everyMs: HOURLY_MS,
    first: WALK_BEGINS,
    batch: (sql, cursor, rowsMax) => walkStep(sql, queries, cursor, rowsMax),
    backlog: (sql, cursor) => countWalk(sql, queries, cursor),
    postpone: postponeFirst,
  });
}

/** A job that deletes rows of one table in the order of their time. */
function expiry(name: string, rows: Expiry): Job {
  return job<Since>({
    name,
    everyMs: HOURLY_MS,
    first: null,
    batch: (sql, since, rowsMax) => deleteExpired(sql, rows, since, rowsMax),
    backlog: (sql, since) => countExpired(sql, rows, since),
    postpone: stay,
  });
}

/** A job that runs batches until one is not full. */
function sweep(
  name: string,
  take: (sql: Sql, rowsMax: number) => Promise<number>,
  backlog: (sql: Sql) => Promise<Backlog>,
  everyMs = HOURLY_MS,
): Job {
  return job<undefined>({
    name,
    everyMs,
    first: undefined,
    batch: async (sql, _, rowsMax) => {
      const rows = await take(sql, rowsMax);
      return { rows, next: rows >= rowsMax ? undefined : null };
    },
    backlog,
    postpone: stay,
  });
}

// A list holds jobs with cursors of different types. Each cursor comes from the job to which it is given back.
const job = <Cursor>(one: Job<Cursor>): Job => one as Job;
