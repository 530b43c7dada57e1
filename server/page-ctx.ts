import type { Environment } from "#domain/environment.ts";
import { AppError } from "#domain/errors.ts";
import { authenticateSession } from "./auth/authenticate.ts";
import { type Ctx, createCtx, createQuery } from "./context.ts";
import { services } from "./services.ts";

/**
 * What the verbs get for a page: on whose behalf it is shown, by the session cookie among `headers`; null when nobody is
 * signed in. A page acts on `live` unless it is told otherwise, and reads unless it is the target of a form.
 */
export async function readPageCtx(
  headers: Headers,
  { env = "live", writes = false }: { env?: Environment; writes?: boolean } = {},
): Promise<Ctx | null> {
  const held = services();
  const installation = await held.installation();
  const { ask, readFor } = createQuery(held);
  try {
    const caller = await authenticateSession(held, { headers }, ask);
    return createCtx(held, installation, caller, env, writes ? ask : readFor(caller.accountId));
  } catch (error) {
    if (error instanceof AppError && error.code === "UNAUTHORIZED") return null;
    throw error;
  }
}
