import { DatabaseUnavailable, type Sql } from "#db/client.ts";
import type { Db } from "#db/orm.ts";
import type { Ctx } from "../context.ts";

/**
 * Runs one statement that changes something. Whoever gets its DatabaseUnavailable knows that nothing was changed when the
 * server refused it.
 */
export async function changeAtOnce<T>(ctx: Ctx, statement: (database: { db: Db; sql: Sql }) => Promise<T>): Promise<T> {
  try {
    return await ctx.query(statement);
  } catch (error) {
    if (error instanceof DatabaseUnavailable) error.changedNothing = error.isRefused;
    throw error;
  }
}
