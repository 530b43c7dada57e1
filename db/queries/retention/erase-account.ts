import { ENVIRONMENTS } from "#domain/environment.ts";
import { byKey } from "../../by-key.ts";
import type { Sql } from "../../client.ts";
import { environmentList } from "../../literals.ts";

const ACCOUNTS_PER_CALL = 20;

/**
 * Erases the rows of deleted accounts, in the order of their deletion. One call erases a batch of `rowsMax` rows (a few
 * more where attempts share a millisecond), or the rest of one account. The account's own row stays, without e-mail
 * address, name and avatar. Returns how many rows it erased; 0 when nothing is left that can be erased now. Locked rows
 * are skipped, so that this waits for nobody; a later call finishes their account.
 */
export async function eraseDeletedAccounts(sql: Sql, { rowsMax }: { rowsMax: number }): Promise<number> {
  const accounts = await sql`
    SELECT id FROM accounts WHERE status = 'deleted' AND erased_at IS NULL ORDER BY deleted_at, id
    LIMIT ${ACCOUNTS_PER_CALL}`;
  for (const { id } of accounts) {
    for (const erase of [eraseSchedules, eraseAttempts, eraseCounts, finish]) {
      const rows = await erase(sql, id, rowsMax);
      if (rows > 0) return rows;
    }
  }
  return 0;
}

// Open and firing schedules too: an outcome that comes later finds no row and is not recorded.
async function eraseSchedules(sql: Sql, accountId: string, rowsMax: number): Promise<number> {
  const erased = await sql`
    WITH found AS MATERIALIZED (
      SELECT s.id FROM schedule_requests r JOIN schedules s ON ${byKey(sql, "s.id", "r.schedule_id")}
      WHERE r.account_id = ${accountId} AND r.env IN (${environmentList(sql)})
      LIMIT ${rowsMax} FOR UPDATE OF s, r SKIP LOCKED
    ), hot AS (
      DELETE FROM schedules WHERE id = ANY (ARRAY(SELECT id FROM found))
    ), unreported AS (
      DELETE FROM dead_schedules WHERE schedule_id = ANY (ARRAY(SELECT id FROM found))
    )
    DELETE FROM schedule_requests WHERE schedule_id = ANY (ARRAY(SELECT id FROM found))`;
  return erased.count;
}

// Range by range of the two indexes that begin with the account: a join with the rows to erase would read every
// partition.
async function eraseAttempts(sql: Sql, accountId: string, rowsMax: number): Promise<number> {
  for (const env of ENVIRONMENTS) {
    for (const outcome of [sql`outcome = 'delivered'`, sql`outcome <> 'delivered'`]) {
      const own = sql`account_id = ${accountId} AND env = ${env} AND ${outcome}`;
      const erased = await sql`
        DELETE FROM attempts WHERE ${own} AND attempted_at <= (
          SELECT max(attempted_at) FROM (
            SELECT attempted_at FROM attempts WHERE ${own} ORDER BY attempted_at LIMIT ${rowsMax}) oldest)`;
      if (erased.count > 0) return erased.count;
    }
  }
  return 0;
}

async function eraseCounts(sql: Sql, accountId: string, rowsMax: number): Promise<number> {
  const erased = await sql`
    DELETE FROM account_counts WHERE ctid = ANY (ARRAY (
      SELECT ctid FROM account_counts WHERE account_id = ${accountId} LIMIT ${rowsMax} FOR UPDATE SKIP LOCKED))`;
  return erased.count;
}

// Only when no schedule is left: until then an outcome may still be written to attempts and counts.
async function finish(sql: Sql, accountId: string): Promise<number> {
  const finished = await sql`
    WITH bare AS MATERIALIZED (
      SELECT id FROM accounts WHERE id = ${accountId} AND status = 'deleted' AND erased_at IS NULL
        AND NOT EXISTS (SELECT FROM schedule_requests WHERE account_id = ${accountId})
        AND NOT EXISTS (SELECT FROM attempts WHERE account_id = ${accountId} AND env IN (${environmentList(sql)}) AND outcome = 'delivered')
        AND NOT EXISTS (SELECT FROM attempts WHERE account_id = ${accountId} AND env IN (${environmentList(sql)}) AND outcome <> 'delivered')
        AND NOT EXISTS (SELECT FROM account_counts WHERE account_id = ${accountId})
      FOR UPDATE SKIP LOCKED
    ), gone_usage AS (
      DELETE FROM usage USING bare WHERE account_id = bare.id
    ), gone_deletions AS (
      DELETE FROM deleted_schedules USING bare WHERE account_id = bare.id
    ), gone_notices AS (
      DELETE FROM notices USING bare WHERE account_id = bare.id
    ), gone_operations AS (
      DELETE FROM operations USING bare WHERE account_id = bare.id
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
    ), gone_sessions AS (
      DELETE FROM sessions USING bare WHERE account_id = bare.id
    )
    UPDATE accounts a SET email = 'erased', email_verified_at = NULL, name = NULL, avatar_url = NULL,
      erased_at = clock_timestamp(), updated_at = clock_timestamp()
    FROM bare WHERE a.id = bare.id`;
  return finished.count;
}
