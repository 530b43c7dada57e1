import { sql } from "drizzle-orm";
import {
  bigint,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
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

/** The server of the database (`db/functions/database_incarnation.sql`); null where it cannot be read. */
const server = () => ({
  systemIdentifier: bigint("system_identifier", { mode: "bigint" }),
  timeline: bigint("timeline", { mode: "number" }),
});

/** The incarnation of the database; the oids are null in what the previous release stored. */
const incarnation = () => ({
  ...server(),
  databaseOid: bigint("database_oid", { mode: "number" }),
  tableOid: bigint("table_oid", { mode: "number" }),
});

/**
 * Dispatchers that run or have run. `beat_at` and what follows it are the last heartbeat of one of the previous release; of
 * others, `heartbeats` has it.
 */
export const dispatchers = pgTable(
  "dispatchers",
  {
    id: uuid("id").primaryKey(),
    host: text("host").notNull(),
    pid: integer("pid").notNull(),
    version: text("version").notNull(),
    startedAt: instant("started_at").notNull().default(NOW),
    /** Of this release: a minute or two ahead while it runs, for processes of the previous one. */
    beatAt: instant("beat_at").notNull().default(NOW),
    stoppedAt: instant("stopped_at"),
    skewMs: real("skew_ms"),
    ...server(),
    /** The name of its process (`dispatcher/runtime/process-name.ts`); null where it has none. */
    process: text("process"),
    /** When it was found that its process had ended without a stop. */
    endedAt: instant("ended_at"),
  },
  (table) => [index("dispatchers_ended").on(table.endedAt).where(sql`ended_at is not null`).concurrently()],
);

/**
 * The last heartbeat of each dispatcher, with the incarnation of the database that got it. A heartbeat is a new row with the
 * next number, and the former row is deleted: what reads the row with the highest number passes no dead ones, also while a
 * held snapshot keeps them.
 */
export const heartbeats = pgTable(
  "heartbeats",
  {
    dispatcherId: uuid("dispatcher_id").notNull(),
    beat: bigint("beat", { mode: "number" }).notNull(),
    /** The leases of its shards are counted from here. */
    beatAt: instant("beat_at").notNull(),
    skewMs: real("skew_ms"),
    ...incarnation(),
    /** Claims in its shards whose lease ended before this are recovered; null while that is not known. */
    recoveredTo: instant("recovered_to"),
    /** Nothing open in its shards is due before this; null while that is not known. */
    openFrom: instant("open_from"),
    /** The transaction that stored the row. In a copy of it, `xmin` is another one. Null from the previous release. */
    xact: bigint("xact", { mode: "bigint" }),
  },
  (table) => [primaryKey({ columns: [table.dispatcherId, table.beat] }), index("heartbeats_newest").on(table.beatAt)],
);

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
 * The shards (`SHARDS` of them), leased to dispatchers. A row changes with its owner alone: a lease lasts as long as the
 * heartbeats of the dispatcher. Because of `unique (id, epoch)` the FOR KEY SHARE of a claim
 * waits for a takeover, which changes the epoch.
 */
export const shards = pgTable(
  "shards",
  {
    id: smallint("id").primaryKey(),
    owner: uuid("owner"),
    epoch: bigint("epoch", { mode: "number" }).notNull().default(0),
    /** Renewed by dispatchers of the previous release, and by others while there are any. */
    leaseUntil: instant("lease_until").notNull().default(sql`'-infinity'`),
    /**
     * How many first bytes of each lane the former owner sent in its last second, if it gave the shard up: lane →
     * number.
     */
    handover: jsonb("handover").$type<Record<string, number>>(),
    /** Claims whose lease ended before this were recovered by a former owner; null while that is not known. */
    recoveredTo: instant("recovered_to"),
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
