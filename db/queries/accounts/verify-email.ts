import { and, eq, isNull, sql } from "drizzle-orm";
import type { DbOrTx } from "../../orm.ts";
import { accounts } from "../../schema/index.ts";

/** Marks the e-mail address of an account as verified, if it is not yet. */
export async function verifyEmail(db: DbOrTx, id: string): Promise<void> {
  await db
    .update(accounts)
    .set({ emailVerifiedAt: sql`clock_timestamp()`, updatedAt: sql`clock_timestamp()` })
    .where(and(eq(accounts.id, id), isNull(accounts.emailVerifiedAt)));
}

/** Stores name and picture of a person where their account has none. */
export async function storeProfile(
  db: DbOrTx,
  id: string,
  { name, avatarUrl }: { name: string | null; avatarUrl: string | null },
): Promise<void> {
  if (name === null && avatarUrl === null) return;
  await db
    .update(accounts)
    .set({
      name: sql`coalesce(${accounts.name}, ${name})`,
      avatarUrl: sql`coalesce(${accounts.avatarUrl}, ${avatarUrl})`,
      updatedAt: sql`clock_timestamp()`,
    })
    .where(and(eq(accounts.id, id), sql`(${accounts.name} IS NULL OR ${accounts.avatarUrl} IS NULL)`));
}
