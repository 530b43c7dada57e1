import type { Plans } from "#domain/plans.ts";
import { usagePeriod } from "#domain/quota.ts";
import { type QuotaNotice, quotaLevels } from "#domain/quota-notices.ts";
import type { Sql } from "../../client.ts";
import { pgArray } from "../../pg-array.ts";
import { ACCOUNTS_PER_STEP, type WalkFrom, type WalkStep } from "../retention/account-walk.ts";
import { insertNotice } from "./insert.ts";

/**
 * Makes the quota notices of the next thousand accounts. For each it is the highest level that the account has reached
 * in the month of `nowMs`, unless there is a notice of that level or a higher one. Notices of lower levels that were
 * not sent are deleted.
 */
export async function makeQuotaNotices(sql: Sql, plans: Plans, from: WalkFrom, nowMs: number): Promise<WalkStep> {
  const period = usagePeriod(nowMs);
  const levels = Object.entries(plans).flatMap(([plan, limits]) =>
    quotaLevels(limits).map((level) => ({ plan, ...level, limits })),
  );
  const rows = await sql`
    WITH visited AS MATERIALIZED (
      SELECT id, plan, status = 'active' AND notices AS is_wanted FROM accounts WHERE id >= ${from}::uuid
      ORDER BY id LIMIT ${ACCOUNTS_PER_STEP}
    ), reached AS (
      SELECT v.id, u.scheduled, max(p.level) AS level
      FROM visited v CROSS JOIN LATERAL (
        SELECT scheduled FROM usage WHERE account_id = v.id AND env = 'live' AND period = ${period}
        ORDER BY part DESC LIMIT 1) u
      JOIN unnest(
        ${pgArray(levels.map(({ plan }) => plan))}::text::text[],
        ${pgArray(levels.map(({ level }) => level))}::text::smallint[],
        ${pgArray(levels.map(({ from }) => from))}::text::integer[]) p(plan, level, from_n)
        ON p.plan = v.plan AND u.scheduled >= p.from_n
      WHERE v.is_wanted
      GROUP BY v.id, u.scheduled
    )
    SELECT (SELECT count(*)::integer FROM visited) AS accounts,
      (SELECT id FROM visited ORDER BY id DESC LIMIT 1) AS last_visited, v.plan, r.*
    FROM (SELECT 1) one LEFT JOIN (reached r JOIN visited v ON v.id = r.id) ON NOT EXISTS (
      SELECT FROM notices n
      WHERE n.kind = 'quota' AND n.account_id = r.id AND n.period = ${period} AND n.level >= r.level)`;
  for (const { id: accountId, plan, scheduled, level } of rows.filter((row) => row.id !== null)) {
    const found = levels.filter((one) => one.plan === plan);
    const content: QuotaNotice = {
      level,
      period,
      scheduled,
      atMs: nowMs,
      limit: found[0]?.limits.monthlyQuota ?? 0,
      graceLimit: found.find((one) => one.level === 110)?.from ?? 0,
    };
    await sql.begin(async (begun) => {
      const tx = begun as unknown as Sql;
      await tx`
        DELETE FROM notices WHERE kind = 'quota' AND account_id = ${accountId} AND period = ${period} AND level < ${level}
          AND outcome IS NULL AND in_doubt_since IS NULL`;
      await insertNotice(tx, { accountId, kind: "quota", content, nowMs });
    });
  }
  const [{ accounts = 0, last_visited: last } = {}] = rows;
  return { rows: rows.filter((row) => row.id !== null).length, next: accounts < ACCOUNTS_PER_STEP ? null : last };
}
