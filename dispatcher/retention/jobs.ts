import type { Sql } from "#db/client.ts";
import { deleteOldOperations } from "#db/queries/operations/steps.ts";
import { deleteOldCounts } from "#db/queries/retention/account-counts.ts";
import type { WalkFrom, WalkStep } from "#db/queries/retention/account-walk.ts";
import {
  deleteFromDefaultPartition,
  dropAttemptPartition,
  makeAttemptPartitions,
} from "#db/queries/retention/attempt-partitions.ts";
import { eraseDeletedAccounts } from "#db/queries/retention/erase-account.ts";
import {
  deleteExpiredSessions,
  deleteGoneDispatchers,
  deleteOldNotices,
  deleteOldPunctuality,
  deleteOldRotations,
  deleteOldSecurityEvents,
  deleteOldSignIns,
  deleteRevokedKeys,
} from "#db/queries/retention/expired-rows.ts";
import { lapsePlans } from "#db/queries/retention/lapse-plans.ts";
import { deleteTerminalSchedules, erasePayloads } from "#db/queries/retention/terminal-schedules.ts";
import type { Plans } from "#domain/plans.ts";
import { SECURITY_EVENT_DAYS } from "#domain/security-events.ts";
import { ROTATION_KEY_HOURS } from "#domain/signing.ts";

const ROWS_MAX = 200;
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

export type Job = {
  name: string;
  everyMs: number;
  /** Runs one batch. `from` is where the previous batch ended. */
  batch: (sql: Sql, from: WalkFrom) => Promise<WalkStep>;
};

/** All jobs of retention. The long ones are last, so that they do not delay the short ones. */
export function retentionJobs(plans: Plans): Job[] {
  const windowDays = Math.max(...Object.values(plans).map((plan) => plan.retentionDays));
  return [
    sweep("deleted accounts", 1, (sql) => eraseDeletedAccounts(sql, { rowsMax: ROWS_MAX }), EACH_MINUTE_MS),
    sweep("lapsed plans", ROWS_MAX, (sql) => lapsePlans(sql, ROWS_MAX), EACH_MINUTE_MS),
    sweep("attempt partitions made", Number.POSITIVE_INFINITY, (sql) =>
      makeAttemptPartitions(sql, PARTITION_DAYS_AHEAD),
    ),
    sweep("attempt partitions dropped", 1, (sql) => dropAttemptPartition(sql, windowDays)),
    sweep("attempts in the default partition", ROWS_MAX, (sql) =>
      deleteFromDefaultPartition(sql, windowDays, ROWS_MAX),
    ),
    sweep("sessions", ROWS_MAX, (sql) => deleteExpiredSessions(sql, ROWS_MAX)),
    sweep("revoked keys", ROWS_MAX, (sql) => deleteRevokedKeys(sql, REVOKED_KEYS_DAYS, ROWS_MAX)),
    sweep("sign-ins", ROWS_MAX, (sql) => deleteOldSignIns(sql, ROWS_MAX)),
    sweep("dispatchers", ROWS_MAX, (sql) => deleteGoneDispatchers(sql, GONE_DISPATCHER_DAYS, ROWS_MAX)),
    sweep("public counts", ROWS_MAX, (sql) => deleteOldPunctuality(sql, PUBLIC_COUNTS_DAYS, ROWS_MAX)),
    sweep("notices", ROWS_MAX, (sql) => deleteOldNotices(sql, NOTICES_DAYS, ROWS_MAX)),
    sweep("security events", ROWS_MAX, (sql) => deleteOldSecurityEvents(sql, SECURITY_EVENT_DAYS, ROWS_MAX)),
    sweep("rotations of secrets", ROWS_MAX, (sql) => deleteOldRotations(sql, ROTATION_KEY_HOURS, ROWS_MAX)),
    sweep("operations", ROWS_MAX, (sql) => deleteOldOperations(sql, OPERATIONS_DAYS, ROWS_MAX)),
    walk("payloads", (sql, batch) => erasePayloads(sql, plans, batch)),
    walk("schedules", (sql, batch) => deleteTerminalSchedules(sql, plans, batch)),
    walk("counts", (sql, batch) => deleteOldCounts(sql, COUNTS_DAYS, batch)),
  ];
}

/** A job that runs batches until one is not full. */
function sweep(name: string, full: number, take: (sql: Sql) => Promise<number>, everyMs = HOURLY_MS): Job {
  const batch: Job["batch"] = async (sql, from) => {
    const rows = await take(sql);
    return { rows, next: rows >= full ? from : null };
  };
  return { name, everyMs, batch };
}

/** A job that walks from account to account. */
function walk(name: string, take: (sql: Sql, batch: { from: WalkFrom; rowsMax: number }) => Promise<WalkStep>): Job {
  return { name, everyMs: HOURLY_MS, batch: (sql, from) => take(sql, { from, rowsMax: ROWS_MAX }) };
}
