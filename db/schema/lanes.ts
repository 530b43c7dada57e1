import { sql } from "drizzle-orm";
import { check, index, pgTable, primaryKey, smallint, uuid } from "drizzle-orm/pg-core";
import { ENVIRONMENTS } from "#domain/environment.ts";
import { environment, instant, isOneOf } from "./columns.ts";

/**
 * The calendar: one row per lane (account and environment) that ever had a schedule. For an active account `due_at` is
 * at or before its oldest open schedule; it is null when none is open. Dispatchers find what is due by lanes here, not
 * by schedules. Functions and triggers lower `due_at` with what they write; only `raise_lanes` raises it.
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
