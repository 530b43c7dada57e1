import { readConfig } from "#config.ts";
import { findFirstEmail } from "#db/queries/accounts/find.ts";
import { insertSignInToken } from "#db/queries/accounts/sign-in-tokens.ts";
import { readAuthSecret } from "#db/queries/fleet/instance-secrets.ts";
import { generateLinkToken, hashLinkToken, MAGIC_LINK_MINUTES, magicLinkUrl } from "#domain/magic-link.ts";
import { onDatabase } from "../on-database.ts";

const NOBODY_YET = "owner@stopwatch.localhost";

/**
 * Creates a magic link for the operator of an installation that sends no mail; undefined when it sends mail. The link
 * is for the first of ADMIN_EMAILS, otherwise for the first account, otherwise for a new account.
 */
export async function makeSignInLink(
  env: Record<string, string | undefined>,
  baseUrl: string,
): Promise<{ email: string; url: string } | undefined> {
  const config = readConfig(env);
  if (config.mail.resendApiKey !== undefined) return undefined;
  return onDatabase(config.databaseUrl, { name: "stopwatch start" }, async (sql) => {
    const email = [...config.adminEmails][0] ?? (await findFirstEmail(sql)) ?? NOBODY_YET;
    const token = generateLinkToken();
    const tokenHash = hashLinkToken(token, config.authSecret ?? (await readAuthSecret(sql, config.keyRing)));
    await insertSignInToken(sql, { email, tokenHash, minutes: MAGIC_LINK_MINUTES });
    return { email, url: magicLinkUrl(baseUrl, { token, email }) };
  });
}
