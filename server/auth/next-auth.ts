import { skipCSRFCheck } from "@auth/core";
import NextAuth, { type NextAuthConfig } from "next-auth";
import { ignoreAuthAddresses } from "#config.ts";
import { DatabaseUnavailable } from "#db/client.ts";
import { generateLinkToken, MAGIC_LINK_MINUTES } from "#domain/magic-link.ts";
import { generateSessionToken, SESSION_DAYS } from "#domain/session-token.ts";
import { MailNotSent } from "#mail/mail.ts";
import type { Services } from "../services.ts";
import { createAdapter } from "./adapter.ts";
import { isSecure, signInCookieName } from "./cookies.ts";
import { PROVIDERS } from "./enabled-providers.ts";
import { oauthProvider, type ProviderProfile } from "./oauth-providers.ts";
import { emailOf } from "./parse-email.ts";
import { displayName, pictureUrl } from "./profile.ts";
import type { Attempt } from "./sign-in-attempt.ts";
import { SignInFailure } from "./sign-in-failure.ts";

/** Where next-auth believes to be mounted. Nothing is: each endpoint of ours asks it for one action. */
const BASE_PATH = "/v1/auth";
const EMAIL = "email";

type Action = `signin/${string}` | `callback/${string}` | "signout";

/**
 * Has next-auth carry out one action of `attempt`, with these cookies and this query or form. It learns of no other part of
 * the caller's request: its own address is made of BASE_URL, so no `Host` or `X-Forwarded-…` reaches it. Returns its
 * answer; throws a SignInFailure when the action came to nothing, a DatabaseUnavailable as it is.
 */
export async function runNextAuth(
  held: Services,
  authSecret: string,
  attempt: Attempt,
  asked: { method: "GET" | "POST"; action: Action; cookie?: string | null; fields?: Record<string, string> },
): Promise<Response> {
  ignoreAuthAddresses();
  const errors: unknown[] = [];
  const { handlers } = NextAuth(configOf(held, authSecret, attempt, errors));
  const url = new URL(`${BASE_PATH}/${asked.action}`, held.config.baseUrl);
  const headers = new Headers(asked.cookie ? { cookie: asked.cookie } : {});
  const fields = new URLSearchParams(asked.fields);
  if (asked.method === "GET") url.search = fields.toString();
  else headers.set("content-type", "application/x-www-form-urlencoded");
  const request = new Request(url, { method: asked.method, headers, ...(asked.method === "POST" && { body: fields }) });
  const handle = handlers[asked.method] as unknown as (request: Request) => Promise<Response>;
  const answer = await handle(request);
  if (errors.length > 0) throw failureOf(held, attempt, errors);
  return answer;
}

/** Names of the cookies that next-auth sets and reads for itself while somebody is at a provider. */
export function nextAuthCookieNames(config: Services["config"]): string[] {
  return ["state", "pkce"].map((name) => signInCookieName(config, name));
}

function configOf(held: Services, authSecret: string, attempt: Attempt, errors: unknown[]): NextAuthConfig {
  const { config } = held;
  const options = { httpOnly: true, sameSite: "lax" as const, path: "/", secure: isSecure(config.baseUrl) };
  const cookie = (name: string) => ({ name: signInCookieName(config, name), options });
  let profile: ProviderProfile | undefined;
  const providers = PROVIDERS.flatMap(
    (name) =>
      oauthProvider(config, name, (told) => {
        profile = told;
      }) ?? [],
  );
  return {
    // Not read by the types of next-auth, but by what is under it: our own endpoints look at where a call comes from.
    ...({ skipCSRFCheck } as object),
    secret: authSecret,
    basePath: BASE_PATH,
    trustHost: true,
    adapter: createAdapter(held, attempt),
    providers: [linkByMail(held, attempt) as never, ...providers],
    session: { strategy: "database", maxAge: SESSION_DAYS * 86_400, generateSessionToken },
    useSecureCookies: options.secure,
    cookies: {
      sessionToken: { name: "sw_session", options },
      callbackUrl: cookie("return"),
      csrfToken: cookie("csrf"),
      state: cookie("state"),
      pkceCodeVerifier: cookie("pkce"),
      nonce: cookie("nonce"),
    },
    callbacks: {
      signIn({ account }) {
        if (account?.type === EMAIL) return true;
        if (!profile) throw new SignInFailure("provider_refused");
        attempt.profile = { name: displayName(profile.name), avatarUrl: pictureUrl(profile.image) };
        const mayJoin = profile.isVerified && profile.email !== null && emailOf(profile.email) !== null;
        if (!attempt.isKnownIdentity && !mayJoin) throw new SignInFailure("email_unverified");
        return true;
      },
      redirect: ({ baseUrl }) => baseUrl,
    },
    logger: { error: (error) => void errors.push(error), warn() {}, debug() {} },
  };
}

function linkByMail(held: Services, attempt: Attempt) {
  return {
    ...{ id: EMAIL, type: EMAIL, name: "E-mail", from: "", options: {} },
    maxAge: MAGIC_LINK_MINUTES * 60,
    generateVerificationToken: generateLinkToken,
    normalizeIdentifier: (email: string) => email,
    sendVerificationRequest({ identifier: to, token, expires }: { identifier: string; token: string; expires: Date }) {
      if (!attempt.mail) throw new Error("nobody asked for a mail");
      const sent = held.mailer.send(attempt.mail({ to, token, expiresAt: expires }));
      // next-auth looks at it a few turns later: a mail that fails before would end the process.
      sent.catch(() => {});
      return sent;
    },
  };
}

/** Of what went wrong, the reason that its person is told; the rest goes into the log, by its type. */
function failureOf(held: Services, attempt: Attempt, errors: unknown[]): Error {
  const chain = errors.flatMap(causes);
  const away = chain.find((error) => error instanceof DatabaseUnavailable);
  if (away) return away;
  const told = chain.find((error) => error instanceof SignInFailure);
  if (told) return told;
  const code = codeOf(attempt, chain);
  const types = chain.map((error) => (error as { type?: string }).type ?? error.name);
  held.log.warn({ step: attempt.step, code, types, err: chain.at(-1) }, "a sign-in came to nothing");
  return new SignInFailure(code, { cause: chain.at(-1) });
}

function codeOf({ step }: Attempt, chain: Error[]): SignInFailure["code"] {
  if (chain.some((error) => error instanceof MailNotSent)) return "mail_failed";
  if (step === "use a link" && chain.some((error) => typeOf(error) === "Verification")) return "link_invalid";
  return step === "go to a provider" || step === "come back from a provider" ? "provider_refused" : "unavailable";
}

const typeOf = (error: Error) => (error as { type?: string }).type;

/** An error and those behind it; next-auth keeps each in `cause.err`. */
function causes(error: unknown): Error[] {
  const all: Error[] = [];
  for (let at = error; at instanceof Error && !all.includes(at); ) {
    all.push(at);
    const { cause } = at as { cause?: unknown };
    at = cause instanceof Error ? cause : (cause as { err?: unknown } | undefined)?.err;
  }
  return all;
}
