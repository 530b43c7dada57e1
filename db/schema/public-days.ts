import { bigint, pgTable, primaryKey, smallint } from "drizzle-orm/pg-core";
import { instant } from "./columns.ts";

/** `shard_punctuality` of past days, summed over shards and quarters: what the public pages show of 90 days. */
export const publicDays = pgTable(
  "public_days",
  {
    /** When the day begins, in UTC. */
    day: instant("day").notNull(),
    bucket: smallint("bucket").notNull(),
    n: bigint("n", { mode: "number" }).notNull(),
    onTime: bigint("on_time", { mode: "number" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.bucket] })],
);
