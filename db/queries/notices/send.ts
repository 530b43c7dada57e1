import { type DeadNotice, noticeSent } from "#domain/death-notices.ts";
import type { QuotaNotice } from "#domain/quota-notices.ts";
import type { SecurityNotice } from "#domain/security-events.ts";
import type { Sql } from "../../client.ts";
import { lockDeathGroup, writeDeathGroup } from "./death-groups.ts";
import { instantOf } from "./insert.ts";

export type Notice = {
  /** UUID. */
  id: string;
  accountId: string;
  /** The owner's e-mail address. */
  email: string;
  /** Whether the account is active and gets notices of this kind: it wants notices, or cannot turn this kind off. */
  isWanted: boolean;
  /** How often sending was tried, this try included. */
  attempts: number;
  createdAtMs: number;
  /**
   * Since when the provider may have accepted an earlier try without our knowing; null when it certainly has accepted
   * none.
   */
  inDoubtSinceMs: number | null;
} & (
  | { kind: "dead"; content: DeadNotice }
  | { kind: "quota"; content: QuotaNotice }
  | { kind: "security"; content: SecurityNotice }
);

/**
 * Claims the notice that has been due for a try longest; nobody else gets it for `leaseMs`. Until the try is recorded,
 * the provider may have accepted it without our knowing.
 */
export async function claimNotice(sql: Sql, { nowMs, leaseMs }: { nowMs: number; leaseMs: number }) {
  const [row] = await sql`
    WITH found AS MATERIALIZED (
      SELECT id, in_doubt_since FROM notices WHERE outcome IS NULL AND next_try_at <= ${instantOf(sql, nowMs)}
      ORDER BY next_try_at LIMIT 1 FOR UPDATE SKIP LOCKED
    )
    UPDATE notices n SET attempts = n.attempts + 1, next_try_at = ${instantOf(sql, nowMs + leaseMs)},
      in_doubt_since = coalesce(n.in_doubt_since, ${instantOf(sql, nowMs)})
    FROM found f, accounts a WHERE n.id = f.id AND a.id = n.account_id
    RETURNING n.id, n.account_id AS "accountId", n.kind, n.content, n.attempts, a.email,
      a.status = 'active' AND (a.notices OR n.kind = 'security') AS "isWanted", extract(epoch FROM n.created_at)::float8 * 1000 AS "createdAtMs",
      extract(epoch FROM f.in_doubt_since)::float8 * 1000 AS "inDoubtSinceMs"`;
  return row as Notice | undefined;
}

/** Stores that the provider has accepted the notice. A second call changes nothing. */
export async function recordNoticeSent(sql: Sql, notice: Notice, nowMs: number): Promise<void> {
  await sql.begin(async (begun) => {
    const tx = begun as unknown as Sql;
    const ended = await end(tx, notice, "sent", nowMs);
    if (notice.kind !== "dead" || ended === 0) return;
    await writeDeathGroup(tx, notice.accountId, noticeSent(await lockDeathGroup(tx, notice.accountId), nowMs));
  });
}

/** Stores that sending the notice is not tried any more. */
export async function giveUpNotice(sql: Sql, notice: Notice, nowMs: number): Promise<void> {
  await end(sql, notice, "given up", nowMs);
}

function end(sql: Sql, { id }: Notice, outcome: "sent" | "given up", nowMs: number): Promise<number> {
  return sql`UPDATE notices SET outcome = ${outcome}, ended_at = ${instantOf(sql, nowMs)} WHERE id = ${id} AND outcome IS NULL`.then(
    ({ count }) => count,
  );
}

/**
 * Stores that the try failed. `inDoubt`: the provider may have accepted the notice all the same. Changes nothing when
 * the notice was claimed again meanwhile.
 */
export async function recordNoticeFailure(
  sql: Sql,
  { id, attempts, inDoubtSinceMs }: Notice,
  { nextTryAtMs, inDoubt }: { nextTryAtMs: number; inDoubt: boolean },
): Promise<void> {
  await sql`
    UPDATE notices SET next_try_at = ${instantOf(sql, nextTryAtMs)},
      in_doubt_since = CASE WHEN ${inDoubt} THEN in_doubt_since ELSE to_timestamp(${inDoubtSinceMs}::float8 / 1000) END
    WHERE id = ${id} AND attempts = ${attempts} AND outcome IS NULL`;
}

/** Deletes a notice whose owner no longer wants any, and the owner's death group. */
export async function dropNotice(sql: Sql, { id, accountId }: Notice): Promise<void> {
  await sql`
    WITH gone AS (DELETE FROM death_groups WHERE account_id = ${accountId})
    DELETE FROM notices WHERE id = ${id} AND outcome IS NULL`;
}

/** How many notices are not sent yet, counted up to 10,000. */
export async function countWaitingNotices(sql: Sql): Promise<number> {
  const [row] = await sql`
    SELECT count(*)::integer AS n FROM (SELECT FROM notices WHERE outcome IS NULL AND next_try_at > '-infinity' LIMIT 10000) w`;
  return row?.n ?? 0;
}
