import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { cache } from "react";
import { signInPage } from "#server/auth/home-path.ts";
import type { Ctx } from "#server/context.ts";
import { readPageCtx } from "#server/page-ctx.ts";

/** Who looks at this page, looked up once for all that is on it; null when nobody is signed in. */
export const findSignedIn = cache(async (): Promise<Ctx | null> => readPageCtx(await headers()));

/** Who looks at the page at `path`; whoever is not signed in is sent to do so, and comes back. */
export async function requireSignedIn(path: string): Promise<Ctx> {
  return (await findSignedIn()) ?? redirect(signInPage("/login", {}, path));
}
