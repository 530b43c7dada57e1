import type { Db } from "#db/orm.ts";
import { noteSignInRequest } from "#db/queries/accounts/sign-in-requests.ts";
import { callerNetwork } from "#domain/caller-address.ts";
import { AppError } from "#domain/errors.ts";
import { MAGIC_LINK_MINUTES, magicLinkUrl } from "#domain/magic-link.ts";
import { signInMail } from "#mail/sign-in-mail.ts";
import { DATABASE_BUDGET_MS, type Services } from "../services.ts";
import { bindBrowser } from "./browser-binding.ts";
import { seal } from "./cookies.ts";
import { runNextAuth } from "./next-auth.ts";
import type { Attempt } from "./sign-in-attempt.ts";

/** Links an hour that one e-mail address, and callers of one network, may ask for. */
const LINKS_PER_EMAIL = 5;
const LINKS_PER_NETWORK = 20;

/**
 * Mails a magic link to an address (in small letters), whether there is an account or not, and returns the `Set-Cookie` by
 * which this browser may use it at once. Throws RATE_LIMITED when too many were asked for within the hour, for the address
 * or from the caller's network, and a SignInFailure `mail_failed` when the mail was not taken.
 */
export async function startMagicLink(
  held: Services,
  authSecret: string,
  wanted: { email: string; redirectTo: string | undefined; address: string | null; userAgent: string | null },
): Promise<{ setCookie: string }> {
  const { config } = held;
  const { email, redirectTo, address, userAgent } = wanted;
  await limit(held, authSecret, email, address);
  const attempt: Attempt = {
    step: "ask for a link",
    userAgent,
    mail: ({ to, token, expiresAt }) =>
      signInMail({
        ...{ to, expiresAt, minutes: MAGIC_LINK_MINUTES },
        link: magicLinkUrl(config.baseUrl, { token, email: to, redirectTo }),
      }),
  };
  await runNextAuth(held, authSecret, attempt, { method: "POST", action: "signin/email", fields: { email } });
  return { setCookie: bindBrowser(config, authSecret, email) };
}

/**
 * Starts a session with the token of a magic link, which works once, and returns the session's token. Throws a
 * SignInFailure when the link is used up, too old or was never made, when no account may be made, or when it is deactivated.
 * A link that starts no session is not used up: all of it is one transaction.
 */
export async function redeemMagicLink(
  held: Services,
  authSecret: string,
  link: { token: string; email: string; userAgent: string | null },
): Promise<string> {
  const { token, email, userAgent } = link;
  const attempt: Attempt = { step: "use a link", userAgent };
  await held.connection.run(DATABASE_BUDGET_MS, ({ db }) =>
    db.transaction(async (tx) => {
      attempt.transaction = tx as unknown as Db;
      const asked = { method: "GET", action: "callback/email", fields: { token, email } } as const;
      await runNextAuth(held, authSecret, attempt, asked);
    }),
  );
  if (attempt.sessionToken === undefined) throw new Error("next-auth started no session, and told no reason");
  return attempt.sessionToken;
}

async function limit(held: Services, authSecret: string, email: string, address: string | null): Promise<void> {
  const key = (text: string) => seal(authSecret, "limit", text);
  const limits = [
    { key: key(`email ${email}`), max: LINKS_PER_EMAIL },
    ...(address === null ? [] : [{ key: key(`network ${callerNetwork(address)}`), max: LINKS_PER_NETWORK }]),
  ];
  const waitS = await held.connection.run(DATABASE_BUDGET_MS, ({ db }) => noteSignInRequest(db, limits));
  if (waitS === 0) return;
  throw new AppError("RATE_LIMITED", `Too many links were asked for. Try again in ${Math.ceil(waitS / 60)} min.`, {
    headers: { "Retry-After": String(waitS) },
  });
}
