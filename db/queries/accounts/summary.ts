import type { Sql } from "../../client.ts";
import { readInstant } from "../../values.ts";

export type AccountSummary = {
  emailVerified: boolean;
  notices: boolean;
  activatedAt: Date;
  keys: number;
  sessions: number;
  /** When an API key or a session was last used. */
  lastUsedAt: Date | null;
  /** When the subscription renews, or stops giving the account its plan. */
  periodEnd: Date | null;
};

type AsText<T> = {
  [Name in keyof T]: T[Name] extends Date ? string : T[Name] extends Date | null ? string | null : T[Name];
};

/**
 * What an administrator sees of an account (UUID) beside its row in the list; undefined when there is none or it is
 * deleted.
 */
export async function readAccountSummary(sql: Sql, id: string): Promise<AccountSummary | undefined> {
  const [row] = await sql`
    SELECT a.email_verified_at IS NOT NULL AS "emailVerified", a.notices, a.activated_at AS "activatedAt",
      (SELECT count(*)::integer FROM api_keys k WHERE k.account_id = a.id
        AND (k.revoked_at IS NULL OR k.revoked_at > clock_timestamp())) AS keys,
      (SELECT count(*)::integer FROM sessions e WHERE e.account_id = a.id AND e.expires_at > now()) AS sessions,
      greatest(
        (SELECT max(k.last_used_at) FROM api_keys k WHERE k.account_id = a.id),
        (SELECT max(e.last_used_at) FROM sessions e WHERE e.account_id = a.id)) AS "lastUsedAt",
      (SELECT coalesce(s.paid_until, s.current_period_end) FROM subscriptions s WHERE s.account_id = a.id) AS "periodEnd"
    FROM accounts a WHERE a.id = ${id} AND a.status <> 'deleted'`;
  if (row === undefined) return undefined;
  const { activatedAt, lastUsedAt, periodEnd, ...rest } = row as AsText<AccountSummary>;
  return {
    ...rest,
    activatedAt: readInstant(activatedAt),
    lastUsedAt: lastUsedAt === null ? null : readInstant(lastUsedAt),
    periodEnd: periodEnd === null ? null : readInstant(periodEnd),
  };
}
