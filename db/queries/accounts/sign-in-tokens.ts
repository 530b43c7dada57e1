import { eq } from "drizzle-orm";
import type { Sql } from "../../client.ts";
import type { DbOrTx } from "../../orm.ts";
import { signInTokens } from "../../schema/index.ts";

/** Stores the hash of a magic link's token. The link is valid for `minutes`. */
export async function insertSignInToken(
  sql: Sql,
  { email, tokenHash, minutes }: { email: string; tokenHash: string; minutes: number },
): Promise<void> {
  await sql`
    INSERT INTO sign_in_tokens (token_hash, email, expires_at)
    VALUES (${tokenHash}, ${email}, clock_timestamp() + ${minutes}::integer * interval '1 minute')`;
}

/** Deletes the magic links that wait for an address. */
export async function deleteSignInTokens(db: DbOrTx, email: string): Promise<void> {
  await db.delete(signInTokens).where(eq(signInTokens.email, email));
}
