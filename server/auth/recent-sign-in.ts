import { SignInTooOld } from "#domain/errors.ts";
import { isRecentSignIn } from "#domain/session-lifetime.ts";
import type { Ctx } from "../context.ts";

/** Whether the caller is a person who signed in within the last day. */
export function hasRecentSignIn({ credential }: Pick<Ctx, "credential">): boolean {
  return credential.kind === "session" && isRecentSignIn(credential.ageS);
}

/** Throws SignInTooOld (FORBIDDEN) unless the caller signed in within the last day. */
export function assertRecentSignIn(ctx: Pick<Ctx, "credential">): void {
  if (!hasRecentSignIn(ctx)) throw new SignInTooOld();
}
