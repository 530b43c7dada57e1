import type { Db } from "#db/orm.ts";
import { noteSignInRequest } from "#db/queries/accounts/sign-in-requests.ts";
import { callerNetwork } from "#domain/caller-address.ts";
import { AppError } from "#domain/errors.ts";
import { MAGIC_LINK_MINUTES, magicLinkUrl } from "#domain/magic-link.ts";
import { signInMail } from "#mail/sign-in-mail.ts";
import { DATABASE_BUDGET_MS, type Services } from "../services.ts";
import { bindBrowser } from "./browser-binding.ts";
import { sign } from "./cookies.ts";
import { runNextAuth } from "./next-auth.ts";
import type { SignInAttempt } from "./sign-in-attempt.ts";

/** Links per hour, for one e-mail address and for one network. */
const LINKS_PER_EMAIL_MAX = 5;
const LINKS_PER_NETWORK_MAX = 20;

/**
 * Mails a magic link to an e-mail address (lower case), whether or not it has an account. Returns the `Set-Cookie` that
 * lets this browser use the link without confirmation. Throws RATE_LIMITED when the address or the caller's network has
 * requested too many links within an hour, and SignInFailure `mail_failed` when the mail could not be sent.
 */
export async function startMagicLink(
  services: Services,
  authSecret: string,
  request: { email: string; redirectTo: string | undefined; address: string | null; userAgent: string | null },
): Promise<{ setCookie: string }> {
  const { config } = services;
  const { email, redirectTo, address, userAgent } = request;
  await enforceLinkLimits(services, authSecret, email, address);
  const attempt: SignInAttempt = {
    step: "request link",
    userAgent,
    mail: ({ to, token, expiresAt }) =>
      signInMail({
        ...{ to, expiresAt, minutes: MAGIC_LINK_MINUTES },
        link: magicLinkUrl(config.baseUrl, { token, email: to, redirectTo }),
      }),
  };
  await runNextAuth(services, authSecret, attempt, { method: "POST", action: "signin/email", fields: { email } });
  return { setCookie: bindBrowser(config, authSecret, email) };
}

/**
 * Redeems a magic link, which works once, and returns the token of the new session. Throws SignInFailure when the link is
 * used, expired or unknown, when sign-up is closed, or when the account is deactivated. One transaction: a link that
 * starts no session stays valid.
 */
export async function redeemMagicLink(
  services: Services,
  authSecret: string,
  link: { token: string; email: string; userAgent: string | null },
): Promise<string> {
  const { token, email, userAgent } = link;
  const attempt: SignInAttempt = { step: "redeem link", userAgent };
  await services.connection.run(DATABASE_BUDGET_MS, ({ db }) =>
    db.transaction(async (tx) => {
      attempt.transaction = tx as unknown as Db;
      const call = { method: "GET", action: "callback/email", fields: { token, email } } as const;
      await runNextAuth(services, authSecret, attempt, call);
    }),
  );
  if (attempt.sessionToken === undefined) throw new Error("next-auth started no session and reported no error");
  return attempt.sessionToken;
}

async function enforceLinkLimits(
  services: Services,
  authSecret: string,
  email: string,
  address: string | null,
): Promise<void> {
  const key = (text: string) => sign(authSecret, "limit", text);
  const limits = [
    { key: key(`email ${email}`), max: LINKS_PER_EMAIL_MAX },
    ...(address === null ? [] : [{ key: key(`network ${callerNetwork(address)}`), max: LINKS_PER_NETWORK_MAX }]),
  ];
  const waitS = await services.connection.run(DATABASE_BUDGET_MS, ({ db }) => noteSignInRequest(db, limits));
  if (waitS === 0) return;
  throw new AppError("RATE_LIMITED", `Too many links were requested. Try again in ${Math.ceil(waitS / 60)} min.`, {
    headers: { "Retry-After": String(waitS) },
  });
}
