import { integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";

/**
 * API calls per minute of the database's clock (minutes since 1970) and per caller, for the rate limit. The table is
 * unlogged (in the migration, since drizzle cannot say so). Rows live for two minutes.
 */
export const requestCounts = pgTable(
  "request_counts",
  {
    minute: integer("minute").notNull(),
    key: text("key").notNull(),
    n: integer("n").notNull(),
  },
  (table) => [primaryKey({ columns: [table.minute, table.key] })],
);
