import { parseTypedEmailAddress } from "#domain/email-address.ts";
import { AppError } from "#domain/errors.ts";
import { startMagicLink } from "../auth/magic-link.ts";
import { redirectPath, signInPageUrl } from "../auth/redirects.ts";
import { clearedSessionCookie } from "../auth/session-cookie.ts";
import { SignInFailure } from "../auth/sign-in-failure.ts";
import { signOut } from "../auth/sign-out.ts";
import { callSourceOf } from "../http/call-source.ts";
import { type Reply, seeOther } from "../http/reply.ts";
import type { PostedForm } from "../routes/form-route.ts";

const ECHOED_LENGTH_MAX = 300;

/** The form of `/login`: mails a magic link and redirects to the page that says so. */
export async function sendLink({ services, fields, address }: PostedForm): Promise<Reply> {
  const input = fields.get("email") ?? "";
  const email = parseTypedEmailAddress(input);
  const redirectTo = redirectPath(fields.get("redirectTo"));
  const backToForm = (error: string, shown: string) =>
    seeOther(signInPageUrl("/login", { error, email: shown.slice(0, ECHOED_LENGTH_MAX).toWellFormed() }, redirectTo));
  if (email === null) return backToForm("email_invalid", input);
  try {
    const { authSecret } = await services.installation();
    const link = { email, redirectTo, address };
    const { setCookie } = await startMagicLink(services, authSecret, link);
    return seeOther(signInPageUrl("/login/sent", { email }, redirectTo), [setCookie]);
  } catch (error) {
    if (error instanceof SignInFailure) return backToForm(error.code, email);
    if (error instanceof AppError && error.code === "RATE_LIMITED") return backToForm("too_many_requests", email);
    throw error;
  }
}

/** The "Sign out" button. */
export async function endSession({ services, request }: PostedForm): Promise<Reply> {
  await signOut(services, request.headers.get("cookie"), callSourceOf(request));
  return seeOther("/login", [clearedSessionCookie(services.config)]);
}
