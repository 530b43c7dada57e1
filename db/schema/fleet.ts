import { sql } from "drizzle-orm";
import { bigint, check, integer, jsonb, pgTable, real, smallint, text, unique, uuid } from "drizzle-orm/pg-core";
import { SHARDS } from "#domain/shard-share.ts";
import { bytea, instant } from "./columns.ts";

/** Dispatchers that run or have run, each with its last heartbeat. */
export const dispatchers = pgTable("dispatchers", {
  id: uuid("id").primaryKey(),
  host: text("host").notNull(),
  pid: integer("pid").notNull(),
  version: text("version").notNull(),
  startedAt: instant("started_at").notNull().defaultNow(),
  beatAt: instant("beat_at").notNull().defaultNow(),
  stoppedAt: instant("stopped_at"),
  skewMs: real("skew_ms"),
});

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
  createdAt: instant("created_at").notNull().defaultNow(),
});
