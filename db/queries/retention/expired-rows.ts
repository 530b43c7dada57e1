import type { Sql } from "../../client.ts";
import { lastShard } from "../../literals.ts";

/** Deletes sessions that have expired, at most `rowsMax`. Returns how many. */
export function deleteExpiredSessions(sql: Sql, rowsMax: number): Promise<number> {
  return deleteRows(sql, "sessions", sql`expires_at < now()`, rowsMax);
}

/** Deletes API keys that were revoked more than `days` days ago, at most `rowsMax`. Returns how many. */
export function deleteRevokedKeys(sql: Sql, days: number, rowsMax: number): Promise<number> {
  return deleteRows(sql, "api_keys", isOlder(sql, "revoked_at", 24 * days), rowsMax);
}

/**
 * Deletes magic links that have expired and requests for links that are more than an hour old, at most `rowsMax` each.
 * Returns how many.
 */
export async function deleteOldSignIns(sql: Sql, rowsMax: number): Promise<number> {
  const links = await deleteRows(sql, "sign_in_tokens", sql`expires_at < now()`, rowsMax);
  return links + (await deleteRows(sql, "sign_in_requests", isOlder(sql, "asked_at", 1), rowsMax));
}

/** Deletes dispatchers whose last heartbeat is more than `days` days ago, at most `rowsMax`. Returns how many. */
export function deleteGoneDispatchers(sql: Sql, days: number, rowsMax: number): Promise<number> {
  return deleteRows(sql, "dispatchers", isOlder(sql, "beat_at", 24 * days), rowsMax);
}

/** Deletes public counts that are more than `days` days old, at most `rowsMax`; returns how many. */
export async function deleteOldPunctuality(sql: Sql, days: number, rowsMax: number): Promise<number> {
  const deleted = await sql`
    DELETE FROM shard_punctuality WHERE ctid = ANY (ARRAY (
      SELECT p.ctid FROM generate_series(0, ${lastShard(sql)}) shard
      CROSS JOIN LATERAL (
        SELECT ctid FROM shard_punctuality c
        WHERE c.shard = shard.shard AND c.starts_at < now() - ${days}::integer * interval '1 day' LIMIT ${rowsMax}) p
      LIMIT ${rowsMax}))`;
  return deleted.count;
}

/** Deletes notices that were made more than `days` days ago, at most `rowsMax`. Returns how many. */
export function deleteOldNotices(sql: Sql, days: number, rowsMax: number): Promise<number> {
  return deleteRows(sql, "notices", isOlder(sql, "created_at", 24 * days), rowsMax);
}

/** Deletes answers to rotations of signing secrets older than `hours` hours, at most `rowsMax`. Returns how many. */
export function deleteOldRotations(sql: Sql, hours: number, rowsMax: number): Promise<number> {
  return deleteRows(sql, "secret_rotations", isOlder(sql, "rotated_at", hours), rowsMax);
}

/** Deletes security events that are more than `days` days old, at most `rowsMax`. Returns how many. */
export function deleteOldSecurityEvents(sql: Sql, days: number, rowsMax: number): Promise<number> {
  return deleteRows(sql, "security_events", isOlder(sql, "at", 24 * days), rowsMax);
}

type Fragment = ReturnType<Sql>;

/** Deletes rows of `table`, at most `rowsMax`, and none that another session has locked. Returns how many. */
async function deleteRows(sql: Sql, table: string, condition: Fragment, rowsMax: number): Promise<number> {
  const deleted = await sql`
    DELETE FROM ${sql(table)} WHERE ctid = ANY (ARRAY (
      SELECT ctid FROM ${sql(table)} WHERE ${condition} LIMIT ${rowsMax} FOR UPDATE SKIP LOCKED))`;
  return deleted.count;
}

const isOlder = (sql: Sql, column: string, hours: number): Fragment =>
  sql`${sql(column)} < now() - ${hours}::integer * interval '1 hour'`;
