import { sql } from "drizzle-orm";
import type { Sql } from "../client.ts";
import type { DbOrTx } from "../orm.ts";

/** Waits for the advisory lock with this name, and keeps it to the end of the transaction. Each installation has its own. */
export async function lockName(tx: DbOrTx, name: string): Promise<void> {
  await tx.execute(statement(sql, name));
}

/** As `lockName`, in a transaction of the driver's own. */
export async function lockNameIn(tx: Sql, name: string): Promise<void> {
  await statement((text, ...values: string[]) => tx(text, ...values), name);
}

function statement<Part>(tag: (text: TemplateStringsArray, name: string) => Part, name: string): Part {
  return tag`
    SELECT pg_advisory_xact_lock(hashtextextended(
      CASE current_schema() WHEN 'public' THEN '' ELSE current_schema() || ' ' END || ${name}::text, 0))`;
}
