import type { KeyObject } from "node:crypto";
import type { Config } from "#config.ts";
import type { Sql } from "#db/client.ts";
import type { Db } from "#db/orm.ts";
import type { Tenant } from "#db/queries/accounts/tenant.ts";
import type { Environment } from "#domain/environment.ts";
import type { PlanLimits, PlanName } from "#domain/plans.ts";
import type { CallSource } from "#domain/security-events.ts";
import type { OnRefusedTarget } from "./refused-targets.ts";
import { DATABASE_BUDGET_MS, type Installation, type Services } from "./services.ts";

/** The credential that authenticated a request; `id` is a UUID. */
export type Credential =
  | { kind: "key"; id: string; env: Environment }
  | {
      kind: "session";
      id: string;
      /** The time since its sign-in, s, by the database's clock. */
      ageS: number;
      /** The account's e-mail address. */
      email: string;
      /** Whether the account's e-mail address is verified and in ADMIN_EMAILS. */
      isAdmin: boolean;
    };

/** Who calls, as a credential says. */
export type Caller = {
  accountId: string;
  plan: PlanName;
  /** The environment of a key; null for a session, which may act in either. */
  env: Environment | null;
  credential: Credential;
  /** `Set-Cookie` for the response, when the session was renewed. */
  setCookie?: string;
};

/** The session (UUID) of a person; undefined for an API key. */
export function sessionIdOf({ credential }: Pick<Ctx, "credential">): string | undefined {
  return credential.kind === "session" ? credential.id : undefined;
}

/** The first argument of every verb: who calls, with which plan, and access to the database. */
export type Ctx = {
  config: Config;
  tenant: Tenant;
  plan: PlanName;
  limits: PlanLimits;
  credential: Credential;
  /** Credential and plan come from the cache: the statement that does the work must check that they are still valid. */
  isCached: boolean;
  requestHashKey: KeyObject;
  /** Where the call came from, for the security log. */
  source: () => CallSource;
  onRefusedTarget: OnRefusedTarget;
  query: Query;
  /** For long reads in a call that also writes: waits for a read turn and uses the connections for reads. */
  read: Query;
};

/**
 * Runs `work` on the database within the remaining time budget of the request; throws DatabaseUnavailable after that.
 * Work of several steps can call `onProgress` between steps to restart the timeout.
 */
export type Query = <T>(work: (database: { db: Db; sql: Sql }, onProgress: () => void) => Promise<T>) => Promise<T>;

/** The context of a request by `caller`, of the API or of a page. */
export function createCtx(
  { config, onRefusedTarget }: Pick<Services, "config" | "onRefusedTarget">,
  { requestHashKey }: Installation,
  { accountId, plan, credential }: Caller,
  env: Environment,
  { query, read, source }: Pick<Ctx, "query" | "read" | "source">,
  isCached = false,
): Ctx {
  const tenant = { accountId, env };
  const limits = config.plans[plan];
  return {
    config,
    tenant,
    plan,
    limits,
    credential,
    isCached,
    requestHashKey,
    source,
    onRefusedTarget,
    query,
    read,
  };
}

/** `ctx` for another environment of the same account. */
export function inEnvironment(ctx: Ctx, env: Environment): Ctx {
  return { ...ctx, tenant: { ...ctx.tenant, env } };
}

const QUERY_MS_MIN = 500;

/**
 * Database access of one request; all functions share its time budget. `query` is for writes and short reads, `anonymous`
 * for looking up a credential that this process has not accepted before (`Services.anonymous`). `readsOf` is for lists and
 * figures of an account, which may be slow: they use separate connections and wait for a read turn, so that they do not
 * block other accounts' requests.
 */
export function createQueries({ database, anonymous: anonymousDatabase, reads, readTurns }: Services) {
  let leftMs = DATABASE_BUDGET_MS;

  const inTimeLeft = async <T>(query: (leftMs: () => number) => Promise<T>): Promise<T> => {
    const startedMs = performance.now();
    const left = () => Math.max(leftMs - (performance.now() - startedMs), QUERY_MS_MIN);
    try {
      return await query(left);
    } finally {
      leftMs -= performance.now() - startedMs;
    }
  };

  const query: Query = (work) => inTimeLeft((left) => database.run(left(), work));
  const anonymous: Query = (work) => inTimeLeft((left) => anonymousDatabase.run(left(), work));

  const readsOf =
    (accountId: string): Query =>
    (work) =>
      inTimeLeft(async (left) => {
        const end = await readTurns.take(accountId, left());
        try {
          return await reads.run(left(), work);
        } finally {
          end();
        }
      });

  return { query, anonymous, readsOf };
}
