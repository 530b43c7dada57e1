import type { Db } from "#db/orm.ts";
import { findAccountToSignIn, hasAnyAccount } from "#db/queries/accounts/find.ts";
import { noteSignInRequest, type RequestLimit } from "#db/queries/accounts/sign-in-requests.ts";
import { callerNetwork } from "#domain/caller-address.ts";
import { MAGIC_LINK_MINUTES, magicLinkUrl } from "#domain/magic-link.ts";
import type { CallSource } from "#domain/security-events.ts";
import { signInMail } from "#mail/sign-in-mail.ts";
import { DATABASE_BUDGET_MS, type Services } from "../services.ts";
import { bindBrowser } from "./browser-binding.ts";
import { sign } from "./cookies.ts";
import { noteLinkRequest, refuseKnownOver } from "./link-limits.ts";
import { runNextAuth } from "./next-auth.ts";
import type { SignInAttempt } from "./sign-in-attempt.ts";
import { signUpRule } from "./sign-up-rule.ts";

/** Links per hour, for one e-mail address and for one network. */
const LINKS_PER_EMAIL_MAX = 5;
const LINKS_PER_NETWORK_MAX = 20;

/** For how long a busy mail provider is asked again, ms: while somebody waits for the answer, and after it. */
const WAITED_FOR_MS = 5_000;
const UNWAITED_MS = 120_000;

type LinkRequest = {
  /** As `parseEmailAddress` returns it. */
  email: string;
  redirectTo: string | undefined;
  address: string | null;
};

/**
 * Mails a magic link to an address that has an account or may get one. Returns the `Set-Cookie` that lets this browser use
 * the link without confirmation. Neither the answer nor its timing says whether there is an account: where everybody may
 * sign up, everybody is mailed the link; elsewhere the address is looked up, and the mail sent, after the answer. Throws
 * RATE_LIMITED when the address or the caller's network has requested too many links within an hour, or the installation
 * has mailed too many, and SignInFailure `mail_failed` when the mail could not be sent before the answer.
 */
export async function startMagicLink(
  services: Services,
  authSecret: string,
  request: LinkRequest,
): Promise<{ setCookie: string }> {
  const { config } = services;
  const mailsToAll = { key: "installation", max: config.signInMailsPerHour };
  const ownLimits = limitsOf(authSecret, request);
  refuseKnownOver(services, [...ownLimits, mailsToAll]);
  if (await mayAllSignUp(services)) {
    await noteLinkRequest(services, [...ownLimits, mailsToAll]);
    await mailLink(services, authSecret, request, WAITED_FOR_MS);
  } else {
    await noteLinkRequest(services, ownLimits, [mailsToAll]);
    mailExpected(services, request, mailsToAll, () => mailLink(services, authSecret, request, UNWAITED_MS));
  }
  return { setCookie: bindBrowser(config, authSecret, request.email) };
}

/**
 * Redeems a magic link, which works once, and returns the token of the new session. Throws SignInFailure when the link is
 * used, expired or unknown, when sign-up is closed, or when the account is deactivated. One transaction: a link that
 * starts no session stays valid.
 */
export async function redeemMagicLink(
  services: Services,
  authSecret: string,
  link: { token: string; email: string; source: CallSource },
): Promise<string> {
  const { token, email, source } = link;
  const attempt: SignInAttempt = { step: "redeem link", source };
  await services.anonymous.run(DATABASE_BUDGET_MS, ({ db }) =>
    db.transaction(async (tx) => {
      attempt.transaction = tx as unknown as Db;
      const call = { method: "GET", action: "callback/email", fields: { token, email } } as const;
      await runNextAuth(services, authSecret, attempt, call);
    }),
  );
  if (attempt.sessionToken === undefined) throw new Error("next-auth started no session and reported no error");
  return attempt.sessionToken;
}

async function mailLink(
  services: Services,
  authSecret: string,
  request: LinkRequest,
  mailPatienceMs: number,
): Promise<void> {
  const { email, redirectTo } = request;
  const attempt: SignInAttempt = {
    step: "request link",
    mailPatienceMs,
    mail: ({ to, token, expiresAt }) =>
      signInMail({
        to,
        expiresAt,
        minutes: MAGIC_LINK_MINUTES,
        link: magicLinkUrl(services.config.baseUrl, { token, email: to, redirectTo }),
      }),
  };
  await runNextAuth(services, authSecret, attempt, { method: "POST", action: "signin/email", fields: { email } });
}

/** Whether everybody may get an account now, whatever their address. */
async function mayAllSignUp({ config, anonymous }: Services): Promise<boolean> {
  if (config.signup !== "first") return config.signup === "open";
  return !(await anonymous.run(DATABASE_BUDGET_MS, ({ db }) => hasAnyAccount(db)));
}

/** In the background, runs `mail` if the address has an account or may get one, and counts it. A failure is only logged. */
function mailExpected(
  { config, anonymous, log }: Services,
  { email }: LinkRequest,
  mailsToAll: RequestLimit,
  mail: () => Promise<void>,
): void {
  const work = async () => {
    const reached = await anonymous.run(DATABASE_BUDGET_MS, async ({ db }) => {
      const isExpected = signUpRule(config, email) === "all" || (await findAccountToSignIn(db, email)) !== undefined;
      return isExpected ? noteSignInRequest(db, [mailsToAll]) : undefined;
    });
    if (reached === null) await mail();
    else if (reached !== undefined)
      log.warn({ waitS: reached.waitS }, "a sign-in mail was not sent: SIGN_IN_MAILS_PER_HOUR is reached");
  };
  work().catch((error) => log.warn({ err: error }, "a sign-in mail was not sent"));
}

function limitsOf(authSecret: string, { email, address }: LinkRequest): RequestLimit[] {
  const key = (text: string) => sign(authSecret, "limit", text);
  return [
    { key: key(`email ${email}`), max: LINKS_PER_EMAIL_MAX },
    ...(address === null ? [] : [{ key: key(`network ${callerNetwork(address)}`), max: LINKS_PER_NETWORK_MAX }]),
  ];
}
