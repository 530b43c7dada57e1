import type { Services } from "../services.ts";
import { runNextAuth } from "./next-auth.ts";
import { readSessionTokens } from "./session-cookie.ts";

/** Ends every session that a `Cookie` header names. */
export async function signOut(held: Services, cookieHeader: string | null): Promise<void> {
  const { authSecret } = await held.installation();
  for (const token of readSessionTokens(cookieHeader)) {
    const cookie = `sw_session=${token}`;
    await runNextAuth(
      held,
      authSecret,
      { step: "sign out", userAgent: null },
      { method: "POST", action: "signout", cookie },
    );
  }
}
