import type { Sql } from "../../client.ts";
import { lastShard } from "../../literals.ts";

/** Deletes sessions that have expired, at most `rowsMax`. Returns how many. */
export async function deleteExpiredSessions(sql: Sql, rowsMax: number): Promise<number> {
  const deleted = await sql`
    DELETE FROM sessions WHERE token_hash = ANY (ARRAY (
      SELECT token_hash FROM sessions WHERE expires_at < now() LIMIT ${rowsMax} FOR UPDATE SKIP LOCKED))`;
  return deleted.count;
}

/** Deletes API keys that were revoked more than `days` days ago, at most `rowsMax`. Returns how many. */
export async function deleteRevokedKeys(sql: Sql, days: number, rowsMax: number): Promise<number> {
  const deleted = await sql`
    DELETE FROM api_keys WHERE id = ANY (ARRAY (
      SELECT id FROM api_keys WHERE revoked_at < now() - ${days}::integer * interval '1 day'
      LIMIT ${rowsMax} FOR UPDATE SKIP LOCKED))`;
  return deleted.count;
}

/**
 * Deletes magic links that have expired and requests for links that are more than an hour old, at most `rowsMax` each.
 * Returns how many.
 */
export async function deleteOldSignIns(sql: Sql, rowsMax: number): Promise<number> {
  const links = await sql`
    DELETE FROM sign_in_tokens WHERE token_hash = ANY (ARRAY (
      SELECT token_hash FROM sign_in_tokens WHERE expires_at < now() LIMIT ${rowsMax} FOR UPDATE SKIP LOCKED))`;
  const requests = await sql`
    DELETE FROM sign_in_requests WHERE ctid = ANY (ARRAY (
      SELECT ctid FROM sign_in_requests WHERE asked_at < now() - interval '1 hour'
      LIMIT ${rowsMax} FOR UPDATE SKIP LOCKED))`;
  return links.count + requests.count;
}

/** Deletes dispatchers whose last heartbeat is more than `days` days ago, at most `rowsMax`. Returns how many. */
export async function deleteGoneDispatchers(sql: Sql, days: number, rowsMax: number): Promise<number> {
  const deleted = await sql`
    DELETE FROM dispatchers WHERE id = ANY (ARRAY (
      SELECT id FROM dispatchers WHERE beat_at < now() - ${days}::integer * interval '1 day'
      LIMIT ${rowsMax} FOR UPDATE SKIP LOCKED))`;
  return deleted.count;
}

/** Deletes public counts that are more than `days` days old, at most `rowsMax`; returns how many. */
export async function deleteOldPunctuality(sql: Sql, days: number, rowsMax: number): Promise<number> {
  const deleted = await sql`
    DELETE FROM shard_punctuality WHERE ctid = ANY (ARRAY (
      SELECT p.ctid FROM generate_series(0, ${lastShard(sql)}) shard
      CROSS JOIN LATERAL (
        SELECT ctid FROM shard_punctuality c
        WHERE c.shard = shard.shard AND c.hour < now() - ${days}::integer * interval '1 day' LIMIT ${rowsMax}) p
      LIMIT ${rowsMax}))`;
  return deleted.count;
}

/** Deletes notices that were made more than `days` days ago, at most `rowsMax`. Returns how many. */
export async function deleteOldNotices(sql: Sql, days: number, rowsMax: number): Promise<number> {
  const deleted = await sql`
    DELETE FROM notices WHERE id = ANY (ARRAY (
      SELECT id FROM notices WHERE created_at < now() - ${days}::integer * interval '1 day'
      LIMIT ${rowsMax} FOR UPDATE SKIP LOCKED))`;
  return deleted.count;
}

/** Deletes what rotations with an idempotency key answered more than `hours` hours ago, at most `rowsMax`. Returns how many. */
export async function deleteOldRotations(sql: Sql, hours: number, rowsMax: number): Promise<number> {
  const deleted = await sql`
    DELETE FROM secret_rotations WHERE ctid = ANY (ARRAY (
      SELECT ctid FROM secret_rotations WHERE rotated_at < now() - ${hours}::integer * interval '1 hour'
      LIMIT ${rowsMax} FOR UPDATE SKIP LOCKED))`;
  return deleted.count;
}

/** Deletes security events that are more than `days` days old, at most `rowsMax`. Returns how many. */
export async function deleteOldSecurityEvents(sql: Sql, days: number, rowsMax: number): Promise<number> {
  const deleted = await sql`
    DELETE FROM security_events WHERE id = ANY (ARRAY (
      SELECT id FROM security_events WHERE at < now() - ${days}::integer * interval '1 day'
      LIMIT ${rowsMax} FOR UPDATE SKIP LOCKED))`;
  return deleted.count;
}
