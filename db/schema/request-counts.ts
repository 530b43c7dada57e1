import { integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";

/**
 * Calls counted within a minute of the database's clock (minutes since 1970), by whom they count for. Unlogged (the
 * migration makes it so); rows live for two minutes.
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
