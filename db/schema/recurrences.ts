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
import { ENVIRONMENTS } from "#domain/environment.ts";
import { ON_RECURRING_CLOCK_CHANGE } from "#domain/recurrence.ts";
import { CATCH_UP, type LeftOut, OVERLAP, RECURRENCE_STATUSES } from "#domain/recurrence-step.ts";
import { REQUEST_METHODS } from "#domain/request-methods.ts";
import { bytea, environment, instant, isOneOf, NOW } from "./columns.ts";

/**
 * Rules by which dispatchers make schedules, in steps. Each step is one transaction, which makes occurrences and moves
 * `madeUntil` behind them.
 */
export const recurrences = pgTable(
  "recurrences",
  {
    id: uuid("id").primaryKey(),
    accountId: uuid("account_id").notNull(),
    env: environment(),
    /** The account's shard: it decides which dispatchers make its occurrences. */
    shard: smallint("shard").notNull(),
    key: text("key").notNull(),
    name: text("name"),
    status: text("status", { enum: RECURRENCE_STATUSES }).notNull().default("active"),
    /** Grows with every change by its owner. */
    version: bigint("version", { mode: "number" }).notNull().default(1),
    cron: text("cron").notNull(),
    timezone: text("timezone").notNull(),
    onClockChange: text("on_clock_change", { enum: ON_RECURRING_CLOCK_CHANGE }).notNull(),
    overlap: text("overlap", { enum: OVERLAP }).notNull(),
    catchUp: text("catch_up", { enum: CATCH_UP }).notNull(),
    spreadMs: integer("spread_ms").notNull(),
    endsAt: instant("ends_at"),
    targetUrl: text("target_url").notNull(),
    origin: text("origin").notNull(),
    method: text("method", { enum: REQUEST_METHODS }).notNull(),
    /** As that of a schedule, bound to the id of the recurrence. Each occurrence has the content sealed anew. */
    sealed: bytea("sealed"),
    payloadSizeBytes: integer("payload_size_bytes").notNull(),
    /** Null means the account's setting. */
    earlyFire: boolean("early_fire"),
    /** Keyed hash of everything that its owner gave; a PUT of the same changes nothing. */
    requestHash: bytea("request_hash").notNull(),
    /** Delivery options of each occurrence; null when there are none. */
    delivery: jsonb("delivery").$type<DeliveryOptions>(),
    /** The last instant that was made or left out. */
    madeUntil: instant("made_until").notNull(),
    /** No occurrence of an earlier instant is open. */
    openFrom: instant("open_from").notNull().default(sql`'-infinity'`),
    /** The release of the IANA zone data by which its occurrences were computed. */
    zoneData: text("zone_data").notNull(),
    /** How long before an instant passes the next one is made. */
    leadMs: integer("lead_ms").notNull(),
    /** When dispatchers look at it again: while active for its occurrences, while paused for its resumption. */
    nextStepAt: instant("next_step_at"),
    /** The newest instants that were not sent, at most 30 entries, newest last. */
    leftOut: jsonb("left_out").$type<LeftOut[]>().notNull().default([]),
    /** Steps in a row that failed. */
    failures: smallint("failures").notNull().default(0),
    pauseNote: text("pause_note"),
    pausedUntil: instant("paused_until"),
    /** The API key that made or changed it last, `SESSION_CREATOR` for a session. */
    createdBy: uuid("created_by").notNull(),
    createdAt: instant("created_at").notNull().default(NOW),
    updatedAt: instant("updated_at").notNull().default(NOW),
  },
  (table) => [
    uniqueIndex("recurrences_key").on(table.accountId, table.env, table.key),
    index("recurrences_newest").on(table.accountId, table.env, table.createdAt, table.id),
    index("recurrences_due").on(table.shard, table.nextStepAt).where(sql`next_step_at is not null`),
    check("recurrences_env_known", isOneOf(table.env, ENVIRONMENTS)),
    check("recurrences_status_known", isOneOf(table.status, RECURRENCE_STATUSES)),
    check("recurrences_method_known", isOneOf(table.method, REQUEST_METHODS)),
    check("recurrences_on_clock_change_known", isOneOf(table.onClockChange, ON_RECURRING_CLOCK_CHANGE)),
    check("recurrences_overlap_known", isOneOf(table.overlap, OVERLAP)),
    check("recurrences_catch_up_known", isOneOf(table.catchUp, CATCH_UP)),
    check("recurrences_key_length", sql`char_length(${table.key}) between 1 and 255`),
    check("recurrences_step_while_active", sql`${table.status} <> 'active' or ${table.nextStepAt} is not null`),
  ],
);
