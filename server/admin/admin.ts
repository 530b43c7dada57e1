import type { Config } from "#config.ts";
import type { Actor } from "#db/queries/accounts/audit-log.ts";
import { AppError } from "#domain/errors.ts";
import type { Ctx, Query } from "../context.ts";

/**
 * Somebody who may administer, with the means to do so. The verbs of this folder take nothing else, and it is made by
 * `ofSession` and `operator` alone.
 */
export class Admin {
  readonly config: Config;
  readonly query: Query;
  readonly actor: Actor;

  private constructor({ config, query }: Pick<Ctx, "config" | "query">, actor: Actor) {
    this.config = config;
    this.query = query;
    this.actor = actor;
  }

  /** The caller, in the call named `requestId`. Throws FORBIDDEN unless it is the session of an administrator. */
  static ofSession(ctx: Pick<Ctx, "config" | "query" | "credential" | "tenant">, requestId: string | null): Admin {
    if (ctx.credential.kind !== "session" || !ctx.credential.isAdmin) {
      throw new AppError("FORBIDDEN", "Only an administrator may do this.");
    }
    return new Admin(ctx, { accountId: ctx.tenant.accountId, requestId });
  }

  /** Whoever works at the command line of the server, and so has the database anyway. */
  static operator(config: Config, query: Query): Admin {
    return new Admin({ config, query }, { accountId: null, requestId: null });
  }
}
