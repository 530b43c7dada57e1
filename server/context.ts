import type { KeyObject } from "node:crypto";
import type { Config } from "#config.ts";
import type { Sql } from "#db/client.ts";
import type { Db } from "#db/orm.ts";
import type { Tenant } from "#db/queries/accounts/tenant.ts";
import type { Environment } from "#domain/environment.ts";
import type { PlanLimits, PlanName } from "#domain/plans.ts";
import type { Caller } from "./auth/authenticate.ts";
import { DATABASE_BUDGET_MS, type Installation, type Services } from "./services.ts";

/** What authenticated a call; `id` is a UUID. */
export type Credential =
  | { kind: "key"; id: string; env: Environment }
  | {
      kind: "session";
      id: string;
      /** Whether its e-mail address is verified and in ADMIN_EMAILS. */
      isAdmin: boolean;
    };

/** What a verb gets: on whose behalf it acts, and the means to do so. */
export type Ctx = {
  config: Config;
  tenant: Tenant;
  plan: PlanName;
  limits: PlanLimits;
  credential: Credential;
  /** Credential and plan come from memory: the statement that does the work has to look whether they still hold. */
  isCached: boolean;
  requestHashKey: KeyObject;
  query: Query;
};

/**
 * Runs `work` on the database in what is left of the call's time; throws DatabaseUnavailable after that. Work of several
 * steps has that time for each, when it calls `onProgress` in between.
 */
export type Query = <T>(work: (database: { db: Db; sql: Sql }, onProgress: () => void) => Promise<T>) => Promise<T>;

/** What the verbs get for a call of `caller`, of the API or of a page. */
export function createCtx(
  { config }: Services,
  { requestHashKey }: Installation,
  { accountId, plan, credential }: Caller,
  env: Environment,
  query: Query,
  isCached = false,
): Ctx {
  const tenant = { accountId, env };
  return { config, tenant, plan, limits: config.plans[plan], credential, isCached, requestHashKey, query };
}

const QUERY_MS_MIN = 500;

/**
 * What one call asks the database with, in the time that one call has: `ask` for what is short and for writes; `readFor`
 * for the lists and figures of an account, which may take long. These wait for a turn, and have connections of their own,
 * so that nobody else's call waits behind them.
 */
export function createQuery({ connection, reads, readTurns }: Services) {
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

  const ask: Query = (work) => inTimeLeft((left) => connection.run(left(), work));

  const readFor =
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

  return { ask, readFor };
}
