import type { KeyObject } from "node:crypto";
import type { Config } from "#config.ts";
import type { Sql } from "#db/client.ts";
import type { Db } from "#db/orm.ts";
import type { Tenant } from "#db/queries/tenant.ts";
import type { PlanLimits, PlanName } from "#domain/plans.ts";

/** What authenticated a call. */
export type Credential = { kind: "key"; id: string };

/** What a verb gets: on whose behalf it acts, and the means to do so. */
export type Ctx = {
  config: Config;
  tenant: Tenant;
  plan: PlanName;
  limits: PlanLimits;
  credential: Credential;
  requestHashKey: KeyObject;
  query: Query;
};

/** Runs `work` on the database in what is left of the call's time; throws DatabaseUnavailable after that. */
export type Query = <T>(work: (database: { db: Db; sql: Sql }) => Promise<T>) => Promise<T>;
