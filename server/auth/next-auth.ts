import { randomUUID } from "node:crypto";
import { skipCSRFCheck } from "@auth/core";
import NextAuth, { type NextAuthConfig } from "next-auth";
import { ignoreAuthAddresses } from "#config.ts";
import { DatabaseUnavailable } from "#db/client.ts";
import { generateLinkToken, MAGIC_LINK_MINUTES } from "#domain/magic-link.ts";
import { PROVIDERS } from "#domain/providers.ts";
import { SESSION_DAYS } from "#domain/session-lifetime.ts";
import { generateSessionToken } from "#domain/session-token.ts";
import { MailNotSent } from "#mail/mail.ts";
import { sendPatiently } from "#mail/send-patiently.ts";
import type { Services } from "../services.ts";
import { createAdapter } from "./adapter.ts";
import { isSecure, signInCookieName } from "./cookies.ts";
import { oauthProvider, type ProviderProfile } from "./oauth-providers.ts";
import { sanitizeDisplayName, sanitizePictureUrl } from "./profile.ts";
import type { SignInAttempt } from "./sign-in-attempt.ts";
import { SignInFailure } from "./sign-in-failure.ts";

/** The base path configured in next-auth. It serves no requests itself: our endpoints call it for single actions. */
const BASE_PATH = "/v1/auth";
const EMAIL = "email";

type Action = `signin/${string}` | `callback/${string}`;

/**
 * Runs one action of next-auth with the given cookies and query or form fields, and returns its response. next-auth sees
 * no other part of the caller's request: its URL is built from BASE_URL, so `Host` and `X-Forwarded-*` do not matter.
 * Throws SignInFailure when the action failed; DatabaseUnavailable passes through.
 */
export async function runNextAuth(
  services: Services,
  authSecret: string,
  attempt: SignInAttempt,
  call: { method: "GET" | "POST"; action: Action; cookie?: string | null; fields?: Record<string, string> },
): Promise<Response> {
  ignoreAuthAddresses();
  const errors: unknown[] = [];
  const { handlers } = NextAuth(nextAuthConfig(services, authSecret, attempt, errors));
  const url = new URL(`${BASE_PATH}/${call.action}`, services.config.baseUrl);
  const headers = new Headers(call.cookie ? { cookie: call.cookie } : {});
  const fields = new URLSearchParams(call.fields);
  if (call.method === "GET") url.search = fields.toString();
  else headers.set("content-type", "application/x-www-form-urlencoded");
  const request = new Request(url, { method: call.method, headers, ...(call.method === "POST" && { body: fields }) });
  const handle = handlers[call.method] as unknown as (request: Request) => Promise<Response>;
  const answer = await handle(request);
  if (errors.length > 0) throw toFailure(services, attempt, errors);
  return answer;
}

/** Full names of the cookies that next-auth uses during an OAuth flow. */
export function nextAuthCookieNames(config: Services["config"]): string[] {
  return ["state", "pkce"].map((name) => signInCookieName(config, name));
}

function nextAuthConfig(
  services: Services,
  authSecret: string,
  attempt: SignInAttempt,
  errors: unknown[],
): NextAuthConfig {
  const { config } = services;
  const options = { httpOnly: true, sameSite: "lax" as const, path: "/", secure: isSecure(config.baseUrl) };
  const cookie = (name: string) => ({ name: signInCookieName(config, name), options });
  let profile: ProviderProfile | undefined;
  const providers = PROVIDERS.flatMap(
    (name) =>
      oauthProvider(config, name, (profileFromProvider) => {
        profile = profileFromProvider;
      }) ?? [],
  );
  return {
    // Missing in next-auth's types, but read by @auth/core. Our endpoints check the origin of requests themselves.
    ...({ skipCSRFCheck } as object),
    secret: authSecret,
    basePath: BASE_PATH,
    trustHost: true,
    adapter: createAdapter(services, attempt),
    providers: [magicLinkProvider(services, attempt) as never, ...providers],
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
        attempt.profile = { name: sanitizeDisplayName(profile.name), avatarUrl: sanitizePictureUrl(profile.image) };
        attempt.isVouched = profile.email?.isVouched ?? false;
        // The address says nothing about an identity that its owner links to their account.
        if (!attempt.isKnownIdentity && !attempt.linkTo && profile.email === null)
          throw new SignInFailure("email_unverified");
        return true;
      },
      redirect: ({ baseUrl }) => baseUrl,
    },
    logger: { error: (error) => void errors.push(error), warn() {}, debug() {} },
  };
}

function magicLinkProvider(services: Services, attempt: SignInAttempt) {
  return {
    id: EMAIL,
    type: EMAIL,
    name: "E-mail",
    from: "",
    options: {},
    maxAge: MAGIC_LINK_MINUTES * 60,
    generateVerificationToken: generateLinkToken,
    normalizeIdentifier: (email: string) => email,
    sendVerificationRequest({ identifier: to, token, expires }: { identifier: string; token: string; expires: Date }) {
      if (!attempt.mail) throw new Error("this sign-in attempt sends no mail");
      const mail = { ...attempt.mail({ to, token, expiresAt: expires }), idempotencyKey: randomUUID() };
      attempt.sendMail = () => sendPatiently(services.mailer, mail, attempt.mailPatienceMs ?? 0);
    },
  };
}

/** Maps the errors that next-auth logged to the one to throw; logs those without a specific reason. */
function toFailure(services: Services, attempt: SignInAttempt, errors: unknown[]): Error {
  const chain = errors.flatMap(causeChain);
  const unavailable = chain.find((error) => error instanceof DatabaseUnavailable);
  if (unavailable) return unavailable;
  const failure = chain.find((error) => error instanceof SignInFailure);
  if (failure) return failure;
  const code = failureCode(attempt, chain);
  const types = chain.map((error) => (error as { type?: string }).type ?? error.name);
  services.log.warn({ step: attempt.step, code, types, err: chain.at(-1) }, "sign-in failed");
  return new SignInFailure(code, { cause: chain.at(-1) });
}

function failureCode({ step }: SignInAttempt, chain: Error[]): SignInFailure["code"] {
  if (chain.some((error) => error instanceof MailNotSent)) return "mail_failed";
  if (step === "redeem link" && chain.some((error) => errorType(error) === "Verification")) return "link_invalid";
  return step === "start OAuth" || step === "finish OAuth" ? "provider_refused" : "unavailable";
}

const errorType = (error: Error) => (error as { type?: string }).type;

/** An error and its causes, outermost first; next-auth wraps causes in `cause.err`. */
function causeChain(error: unknown): Error[] {
  const all: Error[] = [];
  for (let at = error; at instanceof Error && !all.includes(at); ) {
    all.push(at);
    const { cause } = at as { cause?: unknown };
    at = cause instanceof Error ? cause : (cause as { err?: unknown } | undefined)?.err;
  }
  return all;
}
