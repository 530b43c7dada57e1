import type { Config } from "#config.ts";
import type { Actor } from "#db/queries/accounts/audit-log.ts";
import { AppError } from "#domain/errors.ts";
import type { Ctx, Query } from "../context.ts";

/**
 * The context of the admin verbs: proof that the caller is an administrator, and access to the database. Only `ofSession`
 * and `operator` create it.
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

  /** For the session of an administrator; `requestId` goes to the audit log. Throws FORBIDDEN for any other caller. */
  static ofSession(ctx: Pick<Ctx, "config" | "query" | "credential" | "tenant">, requestId: string | null): Admin {
    if (ctx.credential.kind !== "session" || !ctx.credential.isAdmin) {
      throw new AppError("FORBIDDEN", "Only administrators may do this.");
    }
    return new Admin(ctx, { accountId: ctx.tenant.accountId, requestId });
  }

  /** For the operator at the server's command line, who has access to the database anyway. */
  static operator(config: Config, query: Query): Admin {
    return new Admin({ config, query }, { accountId: null, requestId: null });
  }
}
