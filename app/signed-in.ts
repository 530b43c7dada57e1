import { headers } from "next/headers";
import { cache } from "react";
import { DEFAULT_ENVIRONMENT, type Environment } from "#domain/environment.ts";
import type { Ctx } from "#server/context.ts";
import { readPageCtx } from "#server/page-ctx.ts";

/**
 * The signed-in user of this request, looked up once per request; null when nobody is signed in. Throws UNAVAILABLE while
 * the database is.
 */
export const findSignedIn = cache(
  async (env: Environment = DEFAULT_ENVIRONMENT): Promise<Ctx | null> => readPageCtx(await headers(), { env }),
);
