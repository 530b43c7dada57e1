import { sql } from "drizzle-orm";
import { bigint, check, pgTable, primaryKey, smallint, text, uuid } from "drizzle-orm/pg-core";
import { environment, instant } from "./columns.ts";

/** Per account, hour of the attempt, host and answer: how attempts ended. */
export const hostCounts = pgTable(
  "host_counts",
  {
    accountId: uuid("account_id").notNull(),
    env: environment(),
    hour: instant("hour").notNull(),
    /** Host of the target, with its port unless it is the scheme's own; `other` beyond the hosts of `counted_hosts`. */
    host: text("host").notNull(),
    /** Status code, 0 for no answer, -1 for interrupted. */
    code: smallint("code").notNull(),
    n: bigint("n", { mode: "number" }).notNull(),
    /** Those after which the schedule was dead. */
    dead: bigint("dead", { mode: "number" }).notNull(),
    /** The first and last of these attempts. */
    firstAt: instant("first_at").notNull(),
    lastAt: instant("last_at").notNull(),
    /** The earliest and latest `fire_at` of their schedules. */
    firstDue: instant("first_due").notNull(),
    lastDue: instant("last_due").notNull(),
    /** First line of the last error text that was not empty, as in `schedules`. */
    lastError: text("last_error"),
    /** The attempt that had it. */
    lastErrorAt: instant("last_error_at"),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.env, table.hour, table.host, table.code] })],
);

/** The hosts that have counts of their own in an hour, in no order: the first 100 of an account and environment. */
export const countedHosts = pgTable(
  "counted_hosts",
  {
    accountId: uuid("account_id").notNull(),
    env: environment(),
    hour: instant("hour").notNull(),
    hosts: text("hosts").array().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.env, table.hour] }),
    check("counted_hosts_at_most_100", sql`cardinality(${table.hosts}) between 1 and 100`),
  ],
);
