import { and, eq, ne } from "drizzle-orm";
import { TRIAL_EMAIL } from "#domain/email-address.ts";
import type { Sql } from "../../client.ts";
import type { DbOrTx } from "../../orm.ts";
import { accounts } from "../../schema/index.ts";

/** The id (UUID) of the account of a parsed e-mail address; undefined when it is deleted or none. */
export async function findAccountId(db: DbOrTx, email: string): Promise<string | undefined> {
  const [row] = await db
    .select({ id: accounts.id })
    .from(accounts)
    .where(and(eq(accounts.email, email), ne(accounts.status, "deleted")))
    .limit(1);
  return row?.id;
}

/** The account of a parsed e-mail address, as sign-in needs it; undefined when it is deleted or none. */
export async function findAccountToSignIn(db: DbOrTx, email: string) {
  const [row] = await db
    .select({
      id: accounts.id,
      email: accounts.email,
      emailVerified: accounts.emailVerifiedAt,
      name: accounts.name,
      image: accounts.avatarUrl,
      status: accounts.status,
    })
    .from(accounts)
    .where(and(eq(accounts.email, email), ne(accounts.status, "deleted")))
    .limit(1);
  return row;
}

/** Whether a person has an account, or had one: rows of deleted accounts stay. */
export async function hasAnyAccount(db: DbOrTx): Promise<boolean> {
  const [any] = await db.select({ id: accounts.id }).from(accounts).where(ne(accounts.email, TRIAL_EMAIL)).limit(1);
  return any !== undefined;
}

/** The e-mail address of the oldest active account of a person. */
export async function findFirstEmail(sql: Sql): Promise<string | undefined> {
  const [row] = await sql`
    SELECT email FROM accounts WHERE status = 'active' AND email <> ${TRIAL_EMAIL} ORDER BY created_at, id LIMIT 1`;
  return row?.email;
}
