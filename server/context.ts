import type { KeyObject } from "node:crypto";
import type { Config } from "#config.ts";
import type { Sql } from "#db/client.ts";
import type { Db } from "#db/orm.ts";
import type { Tenant } from "#db/queries/tenant.ts";
import type { Environment } from "#domain/api-key.ts";
import type { PlanLimits, PlanName } from "#domain/plans.ts";

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
  isRemembered: boolean;
  requestHashKey: KeyObject;
  query: Query;
};

/**
 * Runs `work` on the database in what is left of the call's time; throws DatabaseUnavailable after that. Work of several
 * steps has that time for each, when it calls `onProgress` in between.
 */
export type Query = <T>(work: (database: { db: Db; sql: Sql }, onProgress: () => void) => Promise<T>) => Promise<T>;
