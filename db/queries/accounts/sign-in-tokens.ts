import type { Sql } from "../../client.ts";

/** Stores a magic link to an address, by the hash of its token; it works for `minutes`. */
export async function insertSignInToken(
  sql: Sql,
  { email, tokenHash, minutes }: { email: string; tokenHash: string; minutes: number },
): Promise<void> {
  await sql`
    INSERT INTO sign_in_tokens (token_hash, email, expires_at)
    VALUES (${tokenHash}, ${email}, clock_timestamp() + ${minutes}::integer * interval '1 minute')`;
}

/** The address of the account that was made first and is still active. */
export async function findFirstEmail(sql: Sql): Promise<string | undefined> {
  const [row] = await sql`SELECT email FROM accounts WHERE status = 'active' ORDER BY created_at, id LIMIT 1`;
  return row?.email;
}
