import type { Services } from "../services.ts";
import { runNextAuth } from "./next-auth.ts";
import { readSessionTokens } from "./session-cookie.ts";

/** Ends every session whose token is in a `Cookie` header. */
export async function signOut(services: Services, cookieHeader: string | null): Promise<void> {
  const { authSecret } = await services.installation();
  for (const token of readSessionTokens(cookieHeader)) {
    const cookie = `sw_session=${token}`;
    await runNextAuth(
      services,
      authSecret,
      { step: "sign out", userAgent: null },
      { method: "POST", action: "signout", cookie },
    );
  }
}
