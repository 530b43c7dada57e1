import type { Destination } from "#domain/associated-data.ts";
import type { Sql } from "../../client.ts";
import { pgArray, pgTextArray } from "../../pg-array.ts";

/** A sealed request as it is stored. `head` (base64) is everything before the ciphertext: format, key id and nonce. */
export type SealedRequest = { id: string; keyId: string; head: string; bytes: number };

/**
 * The sealed requests among the next `rowsMax` schedules after `after` (UUID), in the order of their ids; `next` is
 * null at the end. Reads only the head of each value. There is no index by key: every create would pay for it, a key is
 * replaced rarely, and ten million heads are read in minutes.
 */
export async function readSealedHeads(
  sql: Sql,
  after: string,
  rowsMax: number,
): Promise<{ requests: SealedRequest[]; next: string | null }> {
  const rows = await sql`
    SELECT r.schedule_id, encode(h.head, 'base64'), octet_length(r.sealed)
    FROM schedule_requests r CROSS JOIN LATERAL (SELECT substring(r.sealed FROM 1 FOR ${HEAD_BYTES_MAX}) AS head) h
    WHERE r.schedule_id > ${after} ORDER BY r.schedule_id LIMIT ${rowsMax}`.values();
  const requests = rows
    .filter((row) => row[1] !== null)
    .map((row) => ({ id: row[0], bytes: row[2], ...headOf(Buffer.from(row[1], "base64")) }));
  return { requests, next: rows.length < rowsMax ? null : rows[rows.length - 1]?.[0] };
}

export type StoredSealedRequest = Destination & { sealed: Buffer };

/** The sealed requests of the given schedules (UUIDs). Leaves out schedules without one. */
export async function readSealedForReEncryption(sql: Sql, ids: readonly string[]): Promise<StoredSealedRequest[]> {
  const rows = await sql`
    SELECT schedule_id, method, target_url, encode(sealed, 'base64'), account_id, env FROM schedule_requests
    WHERE schedule_id = ANY (${pgArray(ids)}::text::uuid[]) AND sealed IS NOT NULL`.values();
  return rows.map((row) => ({
    ...{ id: row[0], method: row[1], targetUrl: row[2], accountId: row[4], env: row[5] },
    sealed: Buffer.from(row[3], "base64"),
  }));
}

/** Replaces sealed requests (base64), each only while it still begins with its `head`. Returns how many it replaced. */
export async function replaceSealedRequests(
  sql: Sql,
  changes: readonly { id: string; head: string; sealed: string }[],
): Promise<number> {
  const replaced = await sql`
    WITH w AS MATERIALIZED (
      SELECT w.id, decode(w.head, 'base64') AS head, w.sealed FROM unnest(
        ${pgArray(changes.map((change) => change.id))}::text::uuid[],
        ${pgTextArray(changes.map((change) => change.head))}::text::text[],
        ${pgTextArray(changes.map((change) => change.sealed))}::text::text[]) w(id, head, sealed)
    ), locked AS MATERIALIZED (
      SELECT w.id, w.sealed FROM w JOIN schedule_requests r ON r.schedule_id = w.id
      WHERE substring(r.sealed FROM 1 FOR octet_length(w.head)) = w.head
      ORDER BY r.schedule_id FOR UPDATE OF r
    )
    UPDATE schedule_requests r SET sealed = decode(l.sealed, 'base64') FROM locked l WHERE r.schedule_id = l.id`;
  return replaced.count;
}

// Format, length of the key id, key id (32 at most), nonce: see domain/cipher.ts.
const HEAD_BYTES_MAX = 2 + 32 + 12;

function headOf(start: Buffer): Pick<SealedRequest, "keyId" | "head"> {
  const idEnd = 2 + (start[1] ?? 0);
  return {
    keyId: start.toString("latin1", 2, idEnd),
    head: start.subarray(0, idEnd + 12).toString("base64"),
  };
}
