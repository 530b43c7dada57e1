import { type DeadNotice, makeNotice, noticeSent } from "#domain/death-notices.ts";
import { newId } from "#domain/ids.ts";
import type { Plans } from "#domain/plans.ts";
import { usagePeriod } from "#domain/quota.ts";
import { type QuotaNotice, quotaLevels } from "#domain/quota-notices.ts";
import type { Sql } from "../../client.ts";
import { pgArray } from "../pg-array.ts";
import type { WalkFrom, WalkStep } from "../retention/retention.ts";
import { lockDeathGroup, writeDeathGroup } from "../schedules/dead.ts";

export type Notice = {
  /** UUID. */
  id: string;
  accountId: string;
  /** The address of the owner. */
  email: string;
  /** Whether the account is active and wants notices. */
  isWanted: boolean;
  /** Tries to send it, this one included. */
  attempts: number;
  createdAtMs: number;
  /** Since when, before this try, the provider may have it without our knowing; null when it surely does not. */
  inDoubtSinceMs: number | null;
} & ({ kind: "dead"; content: DeadNotice } | { kind: "quota"; content: QuotaNotice });

const instantOf = (sql: Sql, ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`;

/**
 * Makes the notice of one group of deaths that is due, unless the last one of that account still waits to be sent: what
 * dies meanwhile joins the group. Forgets the group instead when its account wants no notices any more. Returns whether
 * there was one.
 */
export async function makeDeadNotice(sql: Sql, nowMs: number): Promise<boolean> {
  return sql.begin(async (begun) => {
    const tx = begun as unknown as Sql;
    const [due] = await tx`
      SELECT g.account_id, a.status = 'active' AND a.notices AS is_wanted
      FROM death_groups g JOIN accounts a ON a.id = g.account_id
      WHERE g.due_at <= ${instantOf(tx, nowMs)}
        AND NOT EXISTS (SELECT FROM notices n WHERE n.account_id = g.account_id AND n.kind = 'dead' AND n.outcome IS NULL)
      ORDER BY g.due_at LIMIT 1 FOR UPDATE OF g SKIP LOCKED`;
    if (!due) return false;
    if (!due.is_wanted) {
      await tx`DELETE FROM death_groups WHERE account_id = ${due.account_id}`;
      return true;
    }
    const { notice, group } = makeNotice(await lockDeathGroup(tx, due.account_id), nowMs);
    if (notice) await insertNotice(tx, { accountId: due.account_id, kind: "dead", content: notice, nowMs });
    await writeDeathGroup(tx, due.account_id, group);
    return true;
  });
}

const ACCOUNTS_PER_STEP = 1_000;

/**
 * Makes the notices on the quota of the next thousand accounts: of each the highest level that it has reached in the
 * month of `nowMs`, unless the owner was told of that or of a higher one. Lower ones that were never sent are dropped.
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
      FROM visited v JOIN usage u ON u.account_id = v.id AND u.env = 'live' AND u.period = ${period}
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
      ...{ level, period, scheduled, atMs: nowMs },
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

type NewNotice = { accountId: string; nowMs: number } & (
  | { kind: "dead"; content: DeadNotice }
  | { kind: "quota"; content: QuotaNotice }
);

async function insertNotice(sql: Sql, { accountId, kind, content, nowMs }: NewNotice): Promise<void> {
  const { period, level } = kind === "quota" ? content : { period: null, level: null };
  await sql`
    INSERT INTO notices (id, account_id, kind, content, period, level, created_at, next_try_at)
    VALUES (${newId(nowMs)}, ${accountId}, ${kind}, ${JSON.stringify(content)}::text::jsonb, ${period}::text,
      ${level}::smallint, ${instantOf(sql, nowMs)}, ${instantOf(sql, nowMs)})
    ON CONFLICT DO NOTHING`;
}

/**
 * Takes the notice that has waited longest for its next try; nobody else gets it for `leaseMs`. From here on it is in
 * doubt whether the provider has it, until the try is recorded.
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
      a.status = 'active' AND a.notices AS "isWanted", extract(epoch FROM n.created_at)::float8 * 1000 AS "createdAtMs",
      extract(epoch FROM f.in_doubt_since)::float8 * 1000 AS "inDoubtSinceMs"`;
  return row as Notice | undefined;
}

/** The provider has the notice. Saying so twice is harmless. */
export async function recordNoticeSent(sql: Sql, notice: Notice, nowMs: number): Promise<void> {
  await sql.begin(async (begun) => {
    const tx = begun as unknown as Sql;
    const ended = await end(tx, notice, "sent", nowMs);
    if (notice.kind !== "dead" || ended === 0) return;
    await writeDeathGroup(tx, notice.accountId, noticeSent(await lockDeathGroup(tx, notice.accountId), nowMs));
  });
}

/** The notice is not tried any more. */
export async function giveUpNotice(sql: Sql, notice: Notice, nowMs: number): Promise<void> {
  await end(sql, notice, "given up", nowMs);
}

function end(sql: Sql, { id }: Notice, outcome: "sent" | "given up", nowMs: number): Promise<number> {
  return sql`UPDATE notices SET outcome = ${outcome}, ended_at = ${instantOf(sql, nowMs)} WHERE id = ${id} AND outcome IS NULL`.then(
    ({ count }) => count,
  );
}

/** The try failed. `inDoubt`: the provider may have it all the same. Nothing happens when it was taken again meanwhile. */
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

/** Forgets a notice whose owner wants none any more, and what else waits for him. */
export async function dropNotice(sql: Sql, { id, accountId }: Notice): Promise<void> {
  await sql`
    WITH gone AS (DELETE FROM death_groups WHERE account_id = ${accountId})
    DELETE FROM notices WHERE id = ${id} AND outcome IS NULL`;
}

/** Notices that are not sent yet, counted up to 10,000. */
export async function countWaitingNotices(sql: Sql): Promise<number> {
  const [row] = await sql`
    SELECT count(*)::integer AS n FROM (SELECT FROM notices WHERE outcome IS NULL AND next_try_at > '-infinity' LIMIT 10000) w`;
  return row?.n ?? 0;
}

/** Deletes notices that were made more than `days` days ago, at most `rowsMax`; returns how many. */
export async function deleteOldNotices(sql: Sql, days: number, rowsMax: number): Promise<number> {
  const deleted = await sql`
    DELETE FROM notices WHERE id = ANY (ARRAY (
      SELECT id FROM notices WHERE created_at < now() - ${days}::integer * interval '1 day'
      LIMIT ${rowsMax} FOR UPDATE SKIP LOCKED))`;
  return deleted.count;
}
