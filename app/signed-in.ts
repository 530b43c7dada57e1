import { headers } from "next/headers";
import { cache } from "react";
import type { Environment } from "#domain/environment.ts";
import { AppError } from "#domain/errors.ts";
import type { Ctx } from "#server/context.ts";
import { readPageCtx } from "#server/page-ctx.ts";

/**
 * The signed-in user of this request, looked up once per request; null when nobody is signed in, "unavailable" while the
 * database is unavailable.
 */
export const findSignedIn = cache(async (env: Environment = "live"): Promise<Ctx | null | "unavailable"> => {
  try {
    return await readPageCtx(await headers(), { env });
  } catch (error) {
    if (error instanceof AppError && error.code === "UNAVAILABLE") return "unavailable";
    throw error;
  }
});
