import { findAccountId } from "#db/queries/accounts/find.ts";
import { encodeId } from "#domain/ids.ts";
import { noSuchAccount } from "./account-id.ts";
import type { Admin } from "./admin.ts";

/** The id (`acc_…`) of the account with this e-mail address (case-insensitive). Throws NOT_FOUND. */
export async function findAccount(admin: Admin, email: string): Promise<string> {
  const id = await admin.query(({ db }) => findAccountId(db, email));
  if (id === undefined) throw noSuchAccount();
  return encodeId("acc", id);
}
