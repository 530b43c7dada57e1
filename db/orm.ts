import { drizzle, type PostgresJsDatabase, type PostgresJsSession } from "drizzle-orm/postgres-js";
import { type ConnectOptions, connectWith, type Database, type Sql } from "./client.ts";
import type * as schema from "./schema/index.ts";

export type Db = PostgresJsDatabase<typeof schema>;
export type DbOrTx = Db | Parameters<Parameters<Db["transaction"]>[0]>[0];
export type OrmDatabase = Database<{ sql: Sql; db: Db }>;

/**
 * A connection with drizzle's query builder on it. It is apart from `connect` because drizzle takes more memory than
 * the rest of a dispatcher, which does without it.
 */
export const connectOrm = (options: ConnectOptions): OrmDatabase => connectWith(options, withBuilder);

/** The driver of a transaction, for queries that are written in SQL. */
export function sqlOf(tx: DbOrTx): Sql {
  return (tx._.session as unknown as PostgresJsSession<Sql, never, never>).client;
}

// Made on first use, since many calls do without it. Made without the schema, which only `db.query` reads and nobody
// uses: preparing it takes 0.1 ms.
function withBuilder(sql: Sql): { sql: Sql; db: Db } {
  let db: Db | undefined;
  return {
    sql,
    get db() {
      db ??= drizzle(sql) as unknown as Db;
      return db;
    },
  };
}
