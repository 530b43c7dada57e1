import type postgres from "postgres";
import { ENVIRONMENTS } from "#domain/environment.ts";
import { SHARDS } from "#domain/shard-share.ts";
import type { Sql } from "./client.ts";

/** Runs statements: the driver, or a transaction of it. */
export type Runner = Sql | postgres.TransactionSql;

// Lists of domain/ for SQL. They are literals and not parameters, so that the planner can estimate with them.

/** `'live', 'test'`, for IN. */
export const environmentList = (sql: Runner) => sql.unsafe(ENVIRONMENTS.map((env) => `'${env}'`).join(", "));

/** `('live'), ('test')`, for VALUES. */
export const environmentRows = (sql: Runner) => sql.unsafe(ENVIRONMENTS.map((env) => `('${env}')`).join(", "));

/** The highest id of a shard; the lowest is 0. */
export const lastShard = (sql: Runner) => sql.unsafe(String(SHARDS - 1));
