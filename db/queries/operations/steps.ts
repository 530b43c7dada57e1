import type { Environment } from "#domain/environment.ts";
import {
  addLeftAlone,
  type LeftAlone,
  type OperationAction,
  type OperationFilter,
  withNarrower,
} from "#domain/operations.ts";
import type { PlanName } from "#domain/plans.ts";
import type { Sql } from "../../client.ts";
import { pgArray } from "../../pg-array.ts";

export type RunningOperation = {
  /** UUID. */
  id: string;
  accountId: string;
  env: Environment;
  action: OperationAction;
  filter: OperationFilter | null;
  scheduleIds: string[] | null;
  acceptedAtMs: number;
  /** The schedule that was scanned last; null before the first step, and for chosen schedules. */
  place: Place | null;
  /** Schedules that were scanned. */
  scanned: number;
  leftAlone: LeftAlone;
  /** The account's plan when the step began. */
  plan: PlanName;
};

export type Place = { atMs: number; id: string };

/** The result of a step: the progress after it, how many schedules it acted on, and why it left others alone. */
export type Step = { place: Place | null; scanned: number; acted: number; leftAlone: LeftAlone; isEnd: boolean };

/**
 * The operations of the given shards that are due for a step: of each active account behind `after` (UUID) the one that
 * has waited longest. In the order of the accounts, at most `accountsMax`.
 */
export async function findWaitingOperations(
  sql: Sql,
  shards: readonly number[],
  after: string,
  accountsMax: number,
): Promise<{ id: string; accountId: string }[]> {
  return sql<{ id: string; accountId: string }[]>`
    SELECT DISTINCT ON (o.account_id) o.id, o.account_id AS "accountId"
    FROM operations o JOIN accounts a ON a.id = o.account_id
    WHERE o.status = 'running' AND o.shard = ANY (${pgArray(withNarrower(shards))}::text::smallint[])
      AND o.account_id > ${after} AND o.next_step_at <= clock_timestamp() AND a.status || '' = 'active'
    ORDER BY o.account_id, o.next_step_at LIMIT ${accountsMax}`;
}

/**
 * Runs one step of an operation in one transaction: `work` acts on schedules, and its result advances the operation.
 * The operation is locked meanwhile, so nobody else works on it or stops it. False when it has ended, another process
 * has it, or `work` returns null, which must then have changed nothing.
 */
export async function takeStep(
  sql: Sql,
  id: string,
  pauseMs: (step: Step) => number,
  work: (tx: Sql, operation: RunningOperation) => Promise<Step | null>,
): Promise<boolean> {
  return sql.begin(async (begun) => {
    const tx = begun as unknown as Sql;
    const operation = await lock(tx, id);
    const step = operation && (await work(tx, operation));
    if (!step) return false;
    await advance(tx, operation, step, pauseMs(step));
    return true;
  });
}

async function lock(tx: Sql, id: string): Promise<RunningOperation | undefined> {
  const [row] = await tx`
    SELECT o.id, o.account_id AS "accountId", o.env, o.action, o.filter, array_to_json(o.schedule_ids) AS "scheduleIds",
      extract(epoch FROM o.accepted_at)::float8 * 1000 AS "acceptedAtMs", o.place_id AS "placeId",
      extract(epoch FROM o.place_at)::float8 * 1000 AS "placeAtMs", o.scanned::float8 AS scanned,
      o.left_alone AS "leftAlone", a.plan
    FROM operations o JOIN accounts a ON a.id = o.account_id
    WHERE o.id = ${id} AND o.status = 'running' AND a.status || '' = 'active' FOR UPDATE OF o SKIP LOCKED`;
  if (!row) return undefined;
  const { placeId, placeAtMs, acceptedAtMs, ...rest } = row;
  const place = placeId === null ? null : { atMs: Math.round(placeAtMs), id: placeId };
  return { ...rest, acceptedAtMs: Math.round(acceptedAtMs), place } as RunningOperation;
}

async function advance(tx: Sql, operation: RunningOperation, step: Step, pauseMs: number): Promise<void> {
  const { place, scanned, acted, isEnd } = step;
  const leftAlone = JSON.stringify(addLeftAlone(operation.leftAlone, step.leftAlone));
  await tx`
    UPDATE operations SET place_at = ${place && new Date(place.atMs).toISOString()}::timestamptz,
      place_id = ${place?.id ?? null}::uuid, scanned = scanned + ${scanned}::bigint, acted = acted + ${acted}::bigint,
      left_alone = ${leftAlone}::text::jsonb, failures = 0,
      status = CASE WHEN ${isEnd} THEN 'done' ELSE status END,
      schedule_ids = CASE WHEN ${isEnd} AND schedule_ids IS NOT NULL THEN '{}' ELSE schedule_ids END,
      ended_at = CASE WHEN ${isEnd} THEN clock_timestamp() END,
      next_step_at = clock_timestamp() + ${pauseMs}::integer * interval '1 millisecond', updated_at = clock_timestamp()
    WHERE id = ${operation.id}`;
}

/**
 * Stores that a step failed, which changed nothing. The next try comes after two seconds, then four, and so on; after
 * `failuresMax` failures in a row the operation fails. Returns whether it has failed.
 */
export async function recordStepFailure(sql: Sql, id: string, failuresMax: number): Promise<boolean> {
  const [row] = await sql`
    UPDATE operations SET failures = failures + 1, updated_at = clock_timestamp(),
      next_step_at = clock_timestamp() + 2 ^ (failures + 1) * interval '1 second',
      status = CASE WHEN failures + 1 >= ${failuresMax}::integer THEN 'failed' ELSE status END,
      schedule_ids = CASE WHEN failures + 1 >= ${failuresMax}::integer AND schedule_ids IS NOT NULL THEN '{}' ELSE schedule_ids END,
      error_code = CASE WHEN failures + 1 >= ${failuresMax}::integer THEN 'INTERNAL' END,
      ended_at = CASE WHEN failures + 1 >= ${failuresMax}::integer THEN clock_timestamp() END
    WHERE id = ${id} AND status = 'running' RETURNING status`;
  return row?.status === "failed";
}
