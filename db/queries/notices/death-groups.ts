import { addDeaths, type Death, type DeathGroup, noticeDueAtMs } from "#domain/death-notices.ts";
import { byKey } from "../../by-key.ts";
import type { Sql } from "../../client.ts";
import { pgArray } from "../../pg-array.ts";

/**
 * Moves live schedules that died into the death groups of their accounts, at most `rowsMax`, in one transaction. So
 * each death is counted once, even with several callers or after an interruption. Deaths are left out when the account
 * is not active or wants no notices, or the schedule turns out not to be dead. Those of an account whose group another
 * session has locked stay for a later call. Returns how many deaths it took.
 */
export async function groupDeadSchedules(sql: Sql, rowsMax: number): Promise<number> {
  return sql.begin(async (begun) => {
    const tx = begun as unknown as Sql;
    const { taken, groups } = await takeDeaths(tx, rowsMax);
    if (taken.length === 0) return 0;
    await tx`DELETE FROM dead_schedules WHERE schedule_id = ANY (${pgArray(taken.map((row) => row.schedule_id))}::text::uuid[])`;
    for (const [accountId, deaths] of await describeDeaths(tx, taken)) {
      await writeDeathGroup(tx, accountId, addDeaths(groups.get(accountId) as DeathGroup, deaths));
    }
    return taken.length;
  });
}

/** The oldest deaths whose groups are free, and these groups, all locked until the end of the transaction. */
async function takeDeaths(sql: Sql, rowsMax: number): Promise<{ taken: Taken[]; groups: Map<string, DeathGroup> }> {
  const locked: string[] = [];
  for (;;) {
    const found: Taken[] = await sql`
      SELECT schedule_id, account_id, extract(epoch FROM died_at)::float8 * 1000 AS at_ms FROM dead_schedules
      WHERE account_id <> ALL (${pgArray(locked)}::text::uuid[])
      ORDER BY schedule_id LIMIT ${rowsMax} FOR UPDATE SKIP LOCKED`;
    const accounts = [...new Set(found.map((row) => row.account_id))];
    const groups = await lockFreeGroups(sql, accounts);
    const taken = found.filter((row) => groups.has(row.account_id));
    if (taken.length > 0 || found.length === 0) return { taken, groups };
    locked.push(...accounts);
  }
}

type Taken = { schedule_id: string; account_id: string; at_ms: number };

/** The deaths to tell owners of, by account. */
async function describeDeaths(sql: Sql, taken: readonly Taken[]): Promise<Map<string, Death[]>> {
  const rows = await sql`
    SELECT d.account_id, d.at_ms, s.origin, s.last_status_code, s.last_error, s.end_reason,
      extract(epoch FROM s.fire_at)::float8 * 1000 AS due_ms
    FROM unnest(
      ${pgArray(taken.map((row) => row.schedule_id))}::text::uuid[],
      ${pgArray(taken.map((row) => row.account_id))}::text::uuid[],
      ${pgArray(taken.map((row) => row.at_ms))}::text::float8[]) d(id, account_id, at_ms)
    JOIN accounts c ON ${byKey(sql, "c.id", "d.account_id")} AND c.status || '' = 'active' AND c.notices
    JOIN schedules s ON ${byKey(sql, "s.id", "d.id")} AND s.status || '' = 'dead'`;
  const deaths = new Map<string, Death[]>();
  for (const row of rows) {
    const death = {
      target: hostOf(row.origin),
      code: row.last_status_code,
      error: row.last_error,
      reason: row.end_reason,
      dueMs: Math.round(row.due_ms),
      atMs: Math.round(row.at_ms),
    };
    deaths.set(row.account_id, [...(deaths.get(row.account_id) ?? []), death]);
  }
  return deaths;
}

const hostOf = (origin: string): string => origin.replace(/^https?:\/\//, "");

const GROUP_FIELDS = (sql: Sql) => sql`
  waiting, interval_ms::float8 AS "intervalMs",
  extract(epoch FROM last_death_at)::float8 * 1000 AS "lastDeathAtMs",
  extract(epoch FROM last_notice_at)::float8 * 1000 AS "lastNoticeAtMs"`;

/** The death groups of those accounts whose group no other session has locked. Makes those that are missing. */
async function lockFreeGroups(sql: Sql, accountIds: readonly string[]): Promise<Map<string, DeathGroup>> {
  const ids = pgArray(accountIds.toSorted());
  await sql`INSERT INTO death_groups (account_id) SELECT unnest(${ids}::text::uuid[]) ON CONFLICT DO NOTHING`;
  const rows = await sql`
    SELECT account_id, ${GROUP_FIELDS(sql)} FROM death_groups
    WHERE account_id = ANY (${ids}::text::uuid[]) ORDER BY account_id FOR UPDATE SKIP LOCKED`;
  return new Map(rows.map(({ account_id, ...group }) => [account_id, group as unknown as DeathGroup]));
}

/** The death group of an account, locked until the end of the transaction. Makes it when the account has none. */
export async function lockDeathGroup(sql: Sql, accountId: string): Promise<DeathGroup> {
  await sql`INSERT INTO death_groups (account_id) VALUES (${accountId}) ON CONFLICT DO NOTHING`;
  const [row] = await sql`SELECT ${GROUP_FIELDS(sql)} FROM death_groups WHERE account_id = ${accountId} FOR UPDATE`;
  if (!row) throw new Error("the death group was deleted while it was locked");
  return row as unknown as DeathGroup;
}

/** Stores the death group of an account, and from it when the next notice is due. */
export async function writeDeathGroup(sql: Sql, accountId: string, group: DeathGroup): Promise<void> {
  const waiting = group.waiting === null ? null : JSON.stringify(group.waiting);
  await sql`
    UPDATE death_groups SET waiting = ${waiting}::text::jsonb, interval_ms = ${group.intervalMs}::bigint,
      last_death_at = to_timestamp(${group.lastDeathAtMs}::float8 / 1000),
      last_notice_at = to_timestamp(${group.lastNoticeAtMs}::float8 / 1000),
      due_at = to_timestamp(${noticeDueAtMs(group)}::float8 / 1000)
    WHERE account_id = ${accountId}`;
}
