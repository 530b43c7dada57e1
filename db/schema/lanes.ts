import { sql } from "drizzle-orm";
import { check, index, pgTable, primaryKey, smallint, uuid } from "drizzle-orm/pg-core";
import { ENVIRONMENTS } from "#domain/environment.ts";
import { environment, instant, isOneOf } from "./columns.ts";

/**
 * The calendar of lanes: one row per account and environment that ever had a schedule. `due_at` is at or before the
 * oldest open schedule of an active account, so that dispatchers find what is due by lanes and not by schedules; null
 * when nothing waits. Functions and triggers lower it with what they write; `raise_lanes` alone raises it.
 */
export const lanes = pgTable(
  "lanes",
  {
    accountId: uuid("account_id").notNull(),
    env: environment(),
    shard: smallint("shard").notNull(),
    dueAt: instant("due_at"),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.env] }),
    index("lanes_due").on(table.shard, table.dueAt, table.accountId, table.env).where(sql`due_at is not null`),
    check("lanes_env_known", isOneOf(table.env, ENVIRONMENTS)),
  ],
);
