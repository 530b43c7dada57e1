import { findAccountId } from "#db/queries/accounts/find.ts";
import { parseTypedEmailAddress } from "#domain/email-address.ts";
import { encodeId } from "#domain/ids.ts";
import { noSuchAccount } from "./account-id.ts";
import type { Admin } from "./admin.ts";

/** The id (`acc_…`) of the account with this e-mail address in any letter case. Throws NOT_FOUND. */
export async function findAccount(admin: Admin, email: string): Promise<string> {
  const address = parseTypedEmailAddress(email);
  const id = address === null ? undefined : await admin.query(({ db }) => findAccountId(db, address));
  if (id === undefined) throw noSuchAccount();
  return encodeId("acc", id);
}
