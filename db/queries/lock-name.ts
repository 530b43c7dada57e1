import { sql } from "drizzle-orm";
import type { DbOrTx } from "../orm.ts";

/** Waits for the advisory lock with this name, and keeps it to the end of the transaction. Each installation has its own. */
export async function lockName(tx: DbOrTx, name: string): Promise<void> {
  await tx.execute(sql`
    SELECT pg_advisory_xact_lock(hashtextextended(
      CASE current_schema() WHEN 'public' THEN '' ELSE current_schema() || ' ' END || ${name}::text, 0))`);
}
