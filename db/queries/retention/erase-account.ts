import { ENVIRONMENTS, type Environment } from "#domain/environment.ts";
import { byKey } from "../../by-key.ts";
import type { Sql } from "../../client.ts";
import { environmentList } from "../../literals.ts";
import type { HourlyTable } from "./hourly-counts.ts";
import { type Backlog, DUE_COUNTED_MAX, type Step } from "./step.ts";

/** The row of a stage that was erased last. Null at the beginning of a stage. */
type After = { atMs: number; id: string } | null;

/**
 * The deleted accounts that a round has found and not finished, each with the stage at which its erasure is. Null before
 * the round.
 */
export type Erasure = readonly { id: string; stage: number; after: After }[] | null;

const ACCOUNTS_PER_ROUND = 1_000;

/** Erases one batch of an account. `after` is null when the stage has no more rows. */
type Stage = (sql: Sql, accountId: string, after: After, rowsMax: number) => Promise<{ rows: number; after: After }>;

const STAGES: readonly Stage[] = [
  ...ENVIRONMENTS.map(schedulesOf),
  ...ENVIRONMENTS.flatMap((env) => [attemptsOf(env, "="), attemptsOf(env, "<>")]),
  hourlyRowsOf("account_counts"),
  hourlyRowsOf("host_counts"),
  hourlyRowsOf("counted_hosts"),
  finish,
];

/**
 * Erases the rows of deleted accounts, in the order of their deletion: one batch of at most `rowsMax` rows (a few more
 * where attempts share a millisecond). It begins where the batch before ended: from the account's first row on, it would
 * read again what that one erased. The account's own row stays, without e-mail address, name and avatar. Locked rows are
 * skipped, so that this waits for nobody; a later round finishes their account.
 */
export async function eraseDeletedAccounts(sql: Sql, erasure: Erasure, rowsMax: number): Promise<Step<Erasure>> {
  const found = erasure ?? (await findDeletedAccounts(sql));
  for (const [n, { id, ...from }] of found.entries()) {
    let { stage, after } = from;
    for (let erase = STAGES[stage]; erase; erase = STAGES[stage]) {
      const erased = await erase(sql, id, after, rowsMax);
      if (erased.after === null) stage++;
      after = erased.after;
      if (erased.rows > 0) return { rows: erased.rows, next: [{ id, stage, after }, ...found.slice(n + 1)] };
    }
  }
  return { rows: 0, next: null };
}

/** Has the other accounts go first: for a batch that fails with the first one. */
export function postponeErasure(erasure: Erasure): Erasure {
  const [first, ...others] = erasure ?? [];
  return first ? [...others, first] : erasure;
}

/** The deleted accounts that are not erased: each counts as one row, since nobody knows how many rows it has. */
export async function countDeletedAccounts(sql: Sql): Promise<Backlog> {
  const [row] = await sql`
    SELECT count(*)::integer AS rows, coalesce(extract(epoch FROM now() - min(deleted_at)), 0)::float8 AS "oldestS"
    FROM (
      SELECT deleted_at FROM accounts WHERE status = 'deleted' AND erased_at IS NULL
      ORDER BY deleted_at, id LIMIT ${DUE_COUNTED_MAX}) due`;
  return { rows: row?.rows, oldestS: row?.oldestS };
}

async function findDeletedAccounts(sql: Sql) {
  const rows = await sql`
    SELECT id FROM accounts WHERE status = 'deleted' AND erased_at IS NULL ORDER BY deleted_at, id
    LIMIT ${ACCOUNTS_PER_ROUND}`;
  return rows.map((row) => ({ id: row.id as string, stage: 0, after: null }));
}

// Open and firing schedules too: an outcome that comes later finds no row and is not recorded.
function schedulesOf(env: Environment): Stage {
  return async (sql, accountId, after, rowsMax) => {
    const [row] = await sql`
      WITH found AS MATERIALIZED (
        SELECT schedule_id, created_at FROM schedule_requests
        WHERE account_id = ${accountId} AND env = ${env}
          AND (created_at, schedule_id) > (to_timestamp(${after?.atMs ?? 0}::float8 / 1000), ${after?.id ?? NO_ID}::uuid)
        ORDER BY created_at, schedule_id LIMIT ${rowsMax}
      ), locked AS MATERIALIZED (
        SELECT cold.schedule_id AS id FROM found f
        CROSS JOIN LATERAL (
          SELECT id FROM schedules WHERE id = f.schedule_id OFFSET 0 FOR UPDATE SKIP LOCKED) hot
        CROSS JOIN LATERAL (
          SELECT schedule_id FROM schedule_requests WHERE ${byKey(sql, "schedule_id", "hot.id")}
          ORDER BY schedule_id LIMIT 1 FOR UPDATE SKIP LOCKED) cold
      ), hot AS (
        DELETE FROM schedules WHERE id = ANY (ARRAY(SELECT id FROM locked))
      ), unreported AS (
        DELETE FROM dead_schedules WHERE schedule_id = ANY (ARRAY(SELECT id FROM locked))
      ), cold AS (
        DELETE FROM schedule_requests WHERE schedule_id = ANY (ARRAY(SELECT id FROM locked))
      ), last AS (
        SELECT created_at, schedule_id FROM found ORDER BY created_at DESC, schedule_id DESC LIMIT 1
      )
      SELECT (SELECT count(*)::integer FROM locked) AS rows, (SELECT count(*)::integer FROM found) AS found,
        (SELECT extract(epoch FROM created_at)::float8 * 1000 FROM last) AS "atMs", (SELECT schedule_id FROM last) AS id`;
    const isEnd = row?.found < rowsMax;
    return { rows: row?.rows, after: isEnd ? null : { atMs: Math.round(row?.atMs), id: row?.id } };
  };
}
const NO_ID = "00000000-0000-0000-0000-000000000000";

// Range by range of the two indexes that begin with the account: a join with the rows to erase would read every
// partition.
function attemptsOf(env: Environment, delivered: "=" | "<>"): Stage {
  return async (sql, accountId, after, rowsMax) => {
    const outcome = delivered === "=" ? sql`outcome = 'delivered'` : sql`outcome <> 'delivered'`;
    const own = sql`account_id = ${accountId} AND env = ${env} AND ${outcome}
      AND attempted_at > to_timestamp(${after?.atMs ?? 0}::float8 / 1000)`;
    const [row] = await sql`
      WITH last AS MATERIALIZED (
        SELECT max(attempted_at) AS at FROM (
          SELECT attempted_at FROM attempts WHERE ${own} ORDER BY attempted_at LIMIT ${rowsMax}) oldest
      ), gone AS (
        DELETE FROM attempts WHERE ${own} AND attempted_at <= (SELECT at FROM last) RETURNING 1
      )
      SELECT (SELECT count(*)::integer FROM gone) AS rows,
        (SELECT extract(epoch FROM at)::float8 * 1000 FROM last) AS "atMs"`;
    const isEnd = row?.rows < rowsMax;
    return { rows: row?.rows, after: isEnd ? null : { atMs: Math.round(row?.atMs), id: "" } };
  };
}

function hourlyRowsOf(table: HourlyTable): Stage {
  return async (sql, accountId, _, rowsMax) => {
    const erased = await sql`
      DELETE FROM ${sql(table)} WHERE ctid = ANY (ARRAY (
        SELECT ctid FROM ${sql(table)} WHERE account_id = ${accountId} LIMIT ${rowsMax} FOR UPDATE SKIP LOCKED))`;
    const isEnd = erased.count < rowsMax;
    return { rows: erased.count, after: isEnd ? null : { atMs: 0, id: "" } };
  };
}

// Only when no schedule is left: until then an outcome may still be written to attempts and counts.
async function finish(...[sql, accountId]: Parameters<Stage>): ReturnType<Stage> {
  const finished = await sql`
    WITH bare AS MATERIALIZED (
      SELECT id FROM accounts WHERE id = ${accountId} AND status = 'deleted' AND erased_at IS NULL
        AND NOT EXISTS (SELECT FROM schedule_requests WHERE account_id = ${accountId})
        AND NOT EXISTS (SELECT FROM attempts WHERE account_id = ${accountId} AND env IN (${environmentList(sql)}) AND outcome = 'delivered')
        AND NOT EXISTS (SELECT FROM attempts WHERE account_id = ${accountId} AND env IN (${environmentList(sql)}) AND outcome <> 'delivered')
        AND NOT EXISTS (SELECT FROM account_counts WHERE account_id = ${accountId})
        AND NOT EXISTS (SELECT FROM host_counts WHERE account_id = ${accountId})
        AND NOT EXISTS (SELECT FROM counted_hosts WHERE account_id = ${accountId})
      FOR UPDATE SKIP LOCKED
    ), gone_usage AS (
      DELETE FROM usage USING bare WHERE account_id = bare.id
    ), gone_deletions AS (
      DELETE FROM deleted_schedules USING bare WHERE account_id = bare.id
    ), gone_notices AS (
      DELETE FROM notices USING bare WHERE account_id = bare.id
    ), gone_operations AS (
      DELETE FROM operations USING bare WHERE account_id = bare.id
    ), gone_recurrences AS (
      DELETE FROM recurrences USING bare WHERE account_id = bare.id
    ), gone_groups AS (
      DELETE FROM death_groups USING bare WHERE account_id = bare.id
    ), gone_lanes AS (
      DELETE FROM lanes USING bare WHERE account_id = bare.id
    ), gone_secrets AS (
      DELETE FROM signing_secrets USING bare WHERE account_id = bare.id
    ), gone_rotations AS (
      DELETE FROM secret_rotations USING bare WHERE account_id = bare.id
    ), gone_settings AS (
      DELETE FROM relay_settings USING bare WHERE account_id = bare.id
    ), gone_keys AS (
      DELETE FROM api_keys USING bare WHERE account_id = bare.id
    ), gone_identities AS (
      DELETE FROM identities USING bare WHERE account_id = bare.id
    ), gone_events AS (
      DELETE FROM security_events USING bare WHERE account_id = bare.id
    ), gone_listeners AS (
      DELETE FROM listeners USING bare WHERE account_id = bare.id
    ), gone_exchanges AS (
      DELETE FROM listen_exchanges USING bare WHERE account_id = bare.id
    ), gone_sessions AS (
      DELETE FROM sessions USING bare WHERE account_id = bare.id
    )
    UPDATE accounts a SET email = 'erased', email_verified_at = NULL, name = NULL, avatar_url = NULL,
      erased_at = clock_timestamp(), updated_at = clock_timestamp()
    FROM bare WHERE a.id = bare.id`;
  return { rows: finished.count, after: null };
}
