import { AppError } from "#domain/errors.ts";
import type { FormCall } from "../http/form-route.ts";
import { type Reply, seeOther } from "../http/reply.ts";
import { endOtherOwnSessions } from "../me/end-sessions.ts";
import { readPageCtx } from "../page-ctx.ts";
import { startMagicLink } from "./magic-link.ts";
import { emailOf } from "./parse-email.ts";
import { destination, signInPage } from "./redirects.ts";
import { clearedSessionCookie } from "./session-cookie.ts";
import { userAgentOf } from "./sign-in-endpoints.ts";
import { SignInFailure } from "./sign-in-failure.ts";
import { signOut } from "./sign-out.ts";

const SHOWN_LENGTH_MAX = 300;

/** The form of `/login`: mails a link, and shows the page that says so. */
export async function sendLink({ held, request, fields, address }: FormCall): Promise<Reply> {
  const typed = fields.get("email") ?? "";
  const email = emailOf(typed);
  const redirectTo = destination(fields.get("redirectTo"));
  const back = (error: string, shown: string) =>
    seeOther(signInPage("/login", { error, email: shown.slice(0, SHOWN_LENGTH_MAX).toWellFormed() }, redirectTo));
  if (email === null) return back("email_invalid", typed);
  try {
    const { authSecret } = await held.installation();
    const wanted = { email, redirectTo, address, userAgent: userAgentOf(request) };
    const { setCookie } = await startMagicLink(held, authSecret, wanted);
    return seeOther(signInPage("/login/sent", { email }, redirectTo), [setCookie]);
  } catch (error) {
    if (error instanceof SignInFailure) return back(error.code, email);
    if (error instanceof AppError && error.code === "RATE_LIMITED") return back("too_many_requests", email);
    throw error;
  }
}

/** "Sign out" of a page. */
export async function endSession({ held, request }: FormCall): Promise<Reply> {
  await signOut(held, request.headers.get("cookie"));
  return seeOther("/login", [clearedSessionCookie(held.config)]);
}

/** "Sign out elsewhere" of the account page. */
export async function endOtherSessions({ request }: FormCall): Promise<Reply> {
  const ctx = await readPageCtx(request.headers, { writes: true });
  if (ctx === null) return seeOther("/login");
  await endOtherOwnSessions(ctx);
  return seeOther("/account?ended=1");
}
