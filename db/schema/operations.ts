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
import { ENVIRONMENTS } from "#domain/environment.ts";
import type { ErrorCode } from "#domain/errors.ts";
import { type LeftAlone, OPERATION_ACTIONS, OPERATION_STATUSES, type OperationFilter } from "#domain/operations.ts";
import { bytea, environment, instant, isOneOf } from "./columns.ts";

/**
 * Cancelling or replaying many schedules, worked off by dispatchers in steps. Each step is one transaction, which acts on
 * schedules, moves the place and adds to the counts. What the set of an operation is: docs/decisions/0008-operations.md.
 */
export const operations = pgTable(
  "operations",
  {
    id: uuid("id").primaryKey(),
    accountId: uuid("account_id").notNull(),
    env: environment(),
    /** The account's shard, or its `narrowerShard`: it decides which dispatchers work on the operation. */
    shard: smallint("shard").notNull(),
    action: text("action", { enum: OPERATION_ACTIONS }).notNull(),
    status: text("status", { enum: OPERATION_STATUSES }).notNull().default("running"),
    /** Null for chosen schedules. */
    filter: jsonb("filter").$type<OperationFilter>(),
    /** The chosen schedules that exist, empty once the operation has ended; null for a filter. */
    scheduleIds: uuid("schedule_ids").array(),
    /** A schedule belongs to the set if it existed and matched the filter at this instant. */
    acceptedAt: instant("accepted_at").notNull(),
    /** How many matched when it was accepted, counted up to 10,000. */
    total: integer("total").notNull(),
    totalCapped: boolean("total_capped").notNull().default(false),
    idempotencyKey: text("idempotency_key"),
    /** Keyed hash of the request; compared when its idempotency key comes again. */
    requestHash: bytea("request_hash").notNull(),
    /** The schedule that was scanned last, newest first; null before the first step. */
    placeAt: instant("place_at"),
    placeId: uuid("place_id"),
    /** Schedules that were scanned, whether they belong to the set or not. */
    scanned: bigint("scanned", { mode: "number" }).notNull().default(0),
    /** Schedules that were cancelled or replayed. */
    acted: bigint("acted", { mode: "number" }).notNull().default(0),
    leftAlone: jsonb("left_alone").$type<LeftAlone>().notNull().default({}),
    /** Steps in a row that failed. */
    failures: smallint("failures").notNull().default(0),
    errorCode: text("error_code").$type<ErrorCode>(),
    /** No step before this instant. */
    nextStepAt: instant("next_step_at").notNull(),
    updatedAt: instant("updated_at").notNull(),
    endedAt: instant("ended_at"),
  },
  (table) => [
    index("operations_running").on(table.shard, table.accountId, table.nextStepAt).where(sql`status = 'running'`),
    index("operations_newest").on(table.accountId, table.env, table.acceptedAt, table.id),
    index("operations_ended").on(table.endedAt).where(sql`ended_at is not null`),
    uniqueIndex("operations_idempotency_key")
      .on(table.accountId, table.env, table.idempotencyKey)
      .where(sql`idempotency_key is not null`),
    check("operations_env_known", isOneOf(table.env, ENVIRONMENTS)),
    check("operations_action_known", isOneOf(table.action, OPERATION_ACTIONS)),
    check("operations_status_known", isOneOf(table.status, OPERATION_STATUSES)),
    check("operations_filter_or_ids", sql`(${table.filter} is null) <> (${table.scheduleIds} is null)`),
    check("operations_place_whole", sql`(${table.placeAt} is null) = (${table.placeId} is null)`),
    check("operations_ended_unless_running", sql`(${table.endedAt} is null) = (${table.status} = 'running')`),
    check("operations_error_when_failed", sql`(${table.errorCode} is not null) = (${table.status} = 'failed')`),
    check("operations_key_length", sql`char_length(${table.idempotencyKey}) between 1 and 255`),
  ],
);
