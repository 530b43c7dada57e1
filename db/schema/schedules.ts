import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  smallint,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import type { DeliveryOptions } from "#domain/delivery-options.ts";
import { END_REASONS } from "#domain/end-reasons.ts";
import { ENVIRONMENTS } from "#domain/environment.ts";
import { REQUEST_METHODS } from "#domain/request-methods.ts";
import { STATUSES } from "#domain/states.ts";
import { bytea, environment, instant, isOneOf, NOW } from "./columns.ts";

/**
 * The hot half of a schedule: what claiming and recording read and write. It has few columns and few indexes, since
 * each delivery updates it twice. `version` grows with every change: a dispatcher remembers it when it reads the row,
 * the claim expects it, and it fences the record.
 */
export const schedules = pgTable(
  "schedules",
  {
    id: uuid("id").primaryKey(),
    accountId: uuid("account_id").notNull(),
    env: environment(),
    shard: smallint("shard").notNull(),
    status: text("status", { enum: STATUSES }).notNull().default("scheduled"),
    version: bigint("version", { mode: "number" }).notNull().default(1),
    earlyFire: boolean("early_fire").notNull(),
    attempts: integer("attempts").notNull().default(0),
    /** Attempts with a known outcome other than 2xx; these use up the retries. */
    failures: integer("failures").notNull().default(0),
    /** Interrupted attempts in a row. */
    interruptions: smallint("interruptions").notNull().default(0),
    fireAt: instant("fire_at").notNull(),
    /**
     * The last move to now, or null: the instant that became `fireAt`, or that of a retry. A request that is due by its
     * creation or by this instant could not have been sent earlier, so no punctuality figure counts it.
     */
    movedToNowAt: instant("moved_to_now_at"),
    nextAttemptAt: instant("next_attempt_at"),
    claimedBy: uuid("claimed_by"),
    claimedAt: instant("claimed_at"),
    claimDeadline: instant("claim_deadline"),
    firedAt: instant("fired_at"),
    offsetMs: bigint("offset_ms", { mode: "number" }),
    lastAttemptAt: instant("last_attempt_at"),
    /** Status code of the last recorded attempt; null before it, and where it had no answer. */
    lastStatusCode: smallint("last_status_code"),
    /** First line of that attempt's error text, at most 200 characters; null where it has none. */
    lastError: text("last_error"),
    /** When the schedule became terminal. Retention counts from here. */
    endedAt: instant("ended_at"),
    payloadSizeBytes: integer("payload_size_bytes").notNull(),
    /** Size of the sealed request in `schedule_requests`. It bounds what one claim returns. */
    sealedBytes: integer("sealed_bytes").notNull(),
    /** Scheme, host and port of the target, for opening connections ahead. */
    origin: text("origin").notNull(),
    createdAt: instant("created_at").notNull().default(NOW),
    updatedAt: instant("updated_at").notNull().default(NOW),
    /** How it is delivered where that is not by the account's settings; null for most. */
    delivery: jsonb("delivery").$type<DeliveryOptions>(),
    /** Why it is dead; null for any other, and for what died before this was recorded. */
    endReason: text("end_reason", { enum: END_REASONS }),
  },
  (table) => [
    index("schedules_due").on(table.shard, table.nextAttemptAt, table.id).where(sql`status in ('scheduled', 'failed')`),
    index("schedules_due_of_account")
      .on(table.accountId, table.env, table.nextAttemptAt, table.id)
      .where(sql`status in ('scheduled', 'failed')`),
    index("schedules_failed").on(table.shard).where(sql`status = 'failed'`),
    // In the database it also has INCLUDE (created_at), which drizzle cannot say.
    index("schedules_by_status")
      .on(table.accountId, table.env, table.status, table.fireAt, table.id)
      .where(sql`status <> 'firing'`),
    index("schedules_attention")
      .on(table.accountId, table.env, table.status, table.lastAttemptAt)
      .where(sql`status in ('failed', 'dead')`),
    // Only those whose last attempt failed are in it.
    index("schedules_failed_answers")
      .on(table.accountId, table.env, table.lastStatusCode, table.fireAt, table.id)
      .where(sql`last_status_code < 200 or last_status_code >= 300 or last_error is not null`)
      .concurrently(),
    // A schedule enters it with its first outcome.
    index("schedules_late")
      .on(table.accountId, table.env, table.offsetMs, table.id)
      .where(sql`offset_ms is not null`)
      .concurrently(),
    index("schedules_firing").on(table.shard, table.claimDeadline).where(sql`status = 'firing'`),
    index("schedules_ended")
      .on(table.accountId, sql`(sealed_bytes > 0)`, table.endedAt)
      .where(sql`ended_at is not null`),
    check("schedules_status_known", isOneOf(table.status, STATUSES)),
    check("schedules_env_known", isOneOf(table.env, ENVIRONMENTS)),
    check(
      "schedules_next_attempt_while_open",
      sql`(${table.nextAttemptAt} is not null) = (${table.status} in ('scheduled', 'failed', 'firing'))`,
    ),
    check("schedules_claim_while_firing", sql`(${table.claimDeadline} is not null) = (${table.status} = 'firing')`),
    check(
      "schedules_ended_when_terminal",
      sql`(${table.endedAt} is not null) = (${table.status} in ('succeeded', 'dead', 'cancelled'))`,
    ),
    check("schedules_scheduled_is_untried", sql`${table.status} <> 'scheduled' or ${table.attempts} = 0`),
    check("schedules_offset_with_fired", sql`(${table.firedAt} is null) = (${table.offsetMs} is null)`),
    check("schedules_never_early", sql`${table.offsetMs} >= 0 or ${table.earlyFire}`),
  ],
);

/**
 * The cold half of a schedule: the request. The create function writes it together with the schedule, so there is no
 * foreign key, which would cost something on each insert. Only two things change later: retention erases `sealed`, and
 * re-encryption replaces it.
 */
export const scheduleRequests = pgTable(
  "schedule_requests",
  {
    scheduleId: uuid("schedule_id").primaryKey(),
    accountId: uuid("account_id").notNull(),
    env: environment(),
    targetUrl: text("target_url").notNull(),
    method: text("method", { enum: REQUEST_METHODS }).notNull(),
    /**
     * Custom headers and payload, encrypted with AES-256-GCM and bound to account, environment, id, method and target;
     * null when there is neither.
     */
    sealed: bytea("sealed"),
    idempotencyKey: text("idempotency_key"),
    /** Keyed hash of the request, compared when its idempotency key comes again. */
    requestHash: bytea("request_hash").notNull(),
    replayOf: uuid("replay_of"),
    /** The operation that made this copy; null for any other schedule. */
    operationId: uuid("operation_id"),
    /** The recurrence that it is an occurrence of, and its instant there, which a move does not change; null for any other. */
    recurrenceId: uuid("recurrence_id"),
    occurrenceAt: instant("occurrence_at"),
    /** The API key that created it, `SESSION_CREATOR` for a session; null for an operation, or from before it was recorded. */
    createdBy: uuid("created_by"),
    /**
     * When payload and headers were erased, by retention or with the account. The request cannot be sent again after
     * that.
     */
    erasedAt: instant("erased_at"),
    createdAt: instant("created_at").notNull().default(NOW),
  },
  (table) => [
    uniqueIndex("schedule_requests_idempotency_key")
      .on(table.accountId, table.env, table.idempotencyKey)
      .where(sql`idempotency_key is not null`),
    index("schedule_requests_newest").on(table.accountId, table.env, table.createdAt, table.scheduleId),
    // Only replays and clones enter it.
    index("schedule_requests_copies")
      .on(table.accountId, table.env, table.replayOf, table.scheduleId)
      .where(sql`replay_of is not null`),
    // Only copies that an operation made enter it.
    index("schedule_requests_operation")
      .on(table.accountId, table.env, table.operationId, table.createdAt, table.scheduleId)
      .where(sql`operation_id is not null`)
      .concurrently(),
    // Only occurrences enter it.
    index("schedule_requests_recurrence")
      .on(table.accountId, table.env, table.recurrenceId, table.occurrenceAt, table.scheduleId)
      .where(sql`recurrence_id is not null`)
      .concurrently(),
    // A stored target is normalised: its host, and the port that is not the scheme's own, ends at the third slash.
    index("schedule_requests_host")
      .on(table.accountId, table.env, sql`split_part(target_url, '/', 3)`, table.createdAt, table.scheduleId)
      .concurrently(),
    index("schedule_requests_search").using(
      "gin",
      sql`uuid_send(${table.accountId})`,
      table.targetUrl.op("gin_trgm_ops"),
    ),
    check("schedule_requests_method_known", isOneOf(table.method, REQUEST_METHODS)),
    check("schedule_requests_env_known", isOneOf(table.env, ENVIRONMENTS)),
    check("schedule_requests_key_length", sql`char_length(${table.idempotencyKey}) between 1 and 255`),
  ],
);
