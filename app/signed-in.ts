import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { cache } from "react";
import { AppError } from "#domain/errors.ts";
import { signInPage } from "#server/auth/home-path.ts";
import type { Ctx } from "#server/context.ts";
import { readPageCtx } from "#server/page-ctx.ts";

/**
 * Who looks at this page, looked up once for all that is on it; null when nobody is signed in, "unavailable" while the
 * database is away.
 */
export const findSignedIn = cache(async (): Promise<Ctx | null | "unavailable"> => {
  try {
    return await readPageCtx(await headers());
  } catch (error) {
    if (error instanceof AppError && error.code === "UNAVAILABLE") return "unavailable";
    throw error;
  }
});

/** Who looks at the page at `path`; whoever is not signed in is sent to do so, and comes back. */
export async function requireSignedIn(path: string): Promise<Ctx> {
  const found = await findSignedIn();
  if (found === "unavailable") redirect(signInPage("/login", { error: "unavailable" }, path));
  return found ?? redirect(signInPage("/login", {}, path));
}
