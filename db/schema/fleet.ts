import { sql } from "drizzle-orm";
import {
  bigint,
  check,
  integer,
  jsonb,
  pgTable,
  real,
  smallint,
  text,
  unique,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { HOLD_CHOICES, HOLD_REASONS } from "#domain/incarnation.ts";
import { SHARDS } from "#domain/shard-share.ts";
import { bytea, instant, isOneOf, NOW } from "./columns.ts";

/** The incarnation of the database (`db/functions/database_incarnation.sql`); null where it cannot be read. */
const incarnation = () => ({
  systemIdentifier: bigint("system_identifier", { mode: "bigint" }),
  timeline: bigint("timeline", { mode: "number" }),
});

/** Dispatchers that run or have run, each with its last heartbeat and the incarnation of the database that got it. */
export const dispatchers = pgTable("dispatchers", {
  id: uuid("id").primaryKey(),
  host: text("host").notNull(),
  pid: integer("pid").notNull(),
  version: text("version").notNull(),
  startedAt: instant("started_at").notNull().default(NOW),
  beatAt: instant("beat_at").notNull().default(NOW),
  stoppedAt: instant("stopped_at"),
  skewMs: real("skew_ms"),
  ...incarnation(),
});

/**
 * Holds: while the one without `ended_at` is there, no dispatcher claims anything. The others say what an operator chose,
 * and for which incarnation.
 */
export const holds = pgTable(
  "holds",
  {
    id: uuid("id").primaryKey().default(sql`gen_random_uuid()`),
    reason: text("reason", { enum: HOLD_REASONS }).notNull(),
    ...incarnation(),
    /** The newest heartbeat that was stored when the hold began. */
    newestBeatAt: instant("newest_beat_at"),
    beganAt: instant("began_at").notNull().default(sql`clock_timestamp()`),
    endedAt: instant("ended_at"),
    choice: text("choice", { enum: HOLD_CHOICES }),
    /** With the choice `send_from`: what was due before this was cancelled. */
    sendFrom: instant("send_from"),
  },
  (table) => [
    uniqueIndex("holds_open").on(sql`(ended_at is null)`).where(sql`ended_at is null`),
    check("holds_reason_known", isOneOf(table.reason, HOLD_REASONS)),
    check("holds_choice_known", isOneOf(table.choice, HOLD_CHOICES)),
    check("holds_ended_by_choice", sql`(${table.endedAt} is null) = (${table.choice} is null)`),
    check(
      "holds_instant_with_choice",
      sql`(${table.sendFrom} is not null) = coalesce(${table.choice} = 'send_from', false)`,
    ),
  ],
);

/**
 * The shards (`SHARDS` of them), leased to dispatchers. Because of `unique (id, epoch)` the FOR KEY SHARE of a claim
 * waits for a takeover, which changes the epoch, and not for a renewal, which does not.
 */
export const shards = pgTable(
  "shards",
  {
    id: smallint("id").primaryKey(),
    owner: uuid("owner"),
    epoch: bigint("epoch", { mode: "number" }).notNull().default(0),
    leaseUntil: instant("lease_until").notNull().default(sql`'-infinity'`),
    /**
     * How many first bytes of each lane the former owner sent in its last second, if it gave the shard up: lane →
     * number.
     */
    handover: jsonb("handover").$type<Record<string, number>>(),
  },
  (table) => [
    unique("shards_fence").on(table.id, table.epoch),
    check("shards_id_range", sql`${table.id} between 0 and ${sql.raw(String(SHARDS - 1))}`),
  ],
);

/** Secrets of this installation, sealed with the key ring (`db/queries/fleet/instance-secrets.ts`). */
export const instanceSecrets = pgTable("instance_secrets", {
  name: text("name").primaryKey(),
  sealed: bytea("sealed").notNull(),
  createdAt: instant("created_at").notNull().default(NOW),
});
