import { DisplayName } from "#contract/inputs/display-name.ts";
import { parseTypedEmailAddress } from "#domain/email-address.ts";
import { SignInTooOld } from "#domain/errors.ts";
import { clearedSessionCookie, forgetAccountHeaders } from "../auth/session-cookie.ts";
import { type Reply, seeOther } from "../http/reply.ts";
import type { FormCall } from "../routes/form-route.ts";
import { deleteOwnAccount } from "./delete.ts";
import { endOwnSession } from "./end-session.ts";
import { endOtherOwnSessions } from "./end-sessions.ts";
import { readOwnProfile } from "./read.ts";
import { updateOwnProfile } from "./update.ts";

const ECHOED_LENGTH_MAX = 200;

/** The profile form: name and notices. A name that was never set may stay empty. */
export async function saveProfileByForm({ ctx, fields, goTo, finish }: FormCall): Promise<Reply> {
  const typed = (fields.get("name") ?? "").slice(0, ECHOED_LENGTH_MAX).toWellFormed();
  const notices = fields.get("notices") === "on";
  const name = DisplayName.safeParse(typed);
  if (!name.success && (typed.trim() !== "" || (await readOwnProfile(ctx)).name !== null)) {
    return goTo("/account", { wrong: "name", name: typed });
  }
  await updateOwnProfile(ctx, { notices, ...(name.success && { name: name.data }) });
  return finish("/account", { result: "saved" });
}

/** "End" beside a session. Ending the one of this browser leads to sign-in. */
export async function endSessionByForm({ ctx, fields, finish }: FormCall): Promise<Reply> {
  const { wasCurrent } = await endOwnSession(ctx, fields.get("id") ?? "");
  if (wasCurrent) return seeOther("/login", [clearedSessionCookie(ctx.config)]);
  return finish("/account", { result: "ended-one" });
}

/** "Sign out elsewhere": ends all other sessions. */
export async function endOtherSessionsByForm({ ctx, finish }: FormCall): Promise<Reply> {
  await endOtherOwnSessions(ctx);
  return finish("/account", { result: "ended" });
}

/** "Delete account": only when the account's e-mail address was typed, which its page keeps over a new sign-in. */
export async function deleteAccountByForm({ ctx, fields, goTo }: FormCall): Promise<Reply> {
  const { email } = await readOwnProfile(ctx);
  if (parseTypedEmailAddress(fields.get("email") ?? "") !== email) return goTo("/account/delete", { error: "email" });
  try {
    await deleteOwnAccount(ctx);
  } catch (error) {
    if (error instanceof SignInTooOld) return goTo("/account/delete", { typed: email });
    throw error;
  }
  const { headers, ...reply } = seeOther("/deleted");
  return { ...reply, headers: { ...headers, ...forgetAccountHeaders(ctx.config) } };
}
