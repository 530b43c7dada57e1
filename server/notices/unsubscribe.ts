import { invalid } from "#contract/inputs/validate.ts";
import { turnNoticesOff } from "#db/queries/accounts/profile.ts";
import { readUnsubscribeKey } from "#db/queries/fleet/instance-secrets.ts";
import { readUnsubscribeToken } from "#domain/unsubscribe-token.ts";
import { DATABASE_BUDGET_MS, getServices } from "../services.ts";

/** Turns notices off for the account of an unsubscribe token. Throws VALIDATION for an invalid token. */
export async function unsubscribeByLink(token: string): Promise<void> {
  const accountId = await accountOfLink(token);
  if (accountId === null) throw invalid([{ path: "token", message: "is not a valid unsubscribe token" }]);
  await getServices().anonymous.run(DATABASE_BUDGET_MS, ({ db }) => turnNoticesOff(db, accountId));
}

/** Whether an unsubscribe token is valid. Changes nothing. */
export async function isUnsubscribeLink(token: string): Promise<boolean> {
  return (await accountOfLink(token)) !== null;
}

async function accountOfLink(token: string): Promise<string | null> {
  const { installation, anonymous, config } = getServices();
  await installation();
  const key = await anonymous.run(DATABASE_BUDGET_MS, ({ sql }) => readUnsubscribeKey(sql, config.keyRing));
  return readUnsubscribeToken(key, token);
}

/** 303 to the unsubscribe page with these query parameters. */
export function toUnsubscribePage(query: Record<string, string>) {
  const headers = { Location: `/unsubscribe?${new URLSearchParams(query)}` };
  return { status: 303 as const, body: undefined, headers };
}
