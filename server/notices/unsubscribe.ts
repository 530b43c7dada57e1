import { turnNoticesOff } from "#db/queries/accounts/profile.ts";
import { readUnsubscribeKey } from "#db/queries/fleet/instance-secrets.ts";
import { readUnsubscribeToken } from "#domain/unsubscribe-token.ts";
import { invalid } from "../input/validate.ts";
import { DATABASE_BUDGET_MS, getServices } from "../services.ts";

/** Turns notices off for the account that a link in a notice is for. Throws VALIDATION unless its token is one of ours. */
export async function unsubscribeByLink(token: string): Promise<void> {
  const accountId = await accountOfLink(token);
  if (accountId === null) throw invalid([{ path: "token", message: "is not that of a link in a notice" }]);
  await getServices().connection.run(DATABASE_BUDGET_MS, ({ db }) => turnNoticesOff(db, accountId));
}

/** Whether a token is that of a link in a notice. Changes nothing. */
export async function isUnsubscribeLink(token: string): Promise<boolean> {
  return (await accountOfLink(token)) !== null;
}

async function accountOfLink(token: string): Promise<string | null> {
  const { installation, connection, config } = getServices();
  await installation();
  const key = await connection.run(DATABASE_BUDGET_MS, ({ sql }) => readUnsubscribeKey(sql, config.keyRing));
  return readUnsubscribeToken(key, token);
}

/** 303 to the page, with this query. */
export function toUnsubscribePage(query: Record<string, string>) {
  const headers = { Location: `/unsubscribe?${new URLSearchParams(query)}` };
  return { status: 303 as const, body: undefined, headers };
}
