import { addDeaths, type Death, type DeathGroup, noticeDueAtMs } from "#domain/death-notices.ts";
import { byKey } from "../../by-key.ts";
import type { Sql } from "../../client.ts";
import { pgArray } from "../../pg-array.ts";

/**
 * Moves live schedules that died into the death groups of their accounts, at most `rowsMax`, in one transaction. So
 * each death is counted once, even with several callers or after an interruption. Deaths are left out when the account
 * is not active or wants no notices, or the schedule turns out not to be dead. Returns how many deaths it took.
 */
export async function groupDeadSchedules(sql: Sql, rowsMax: number): Promise<number> {
  return sql.begin(async (tx) => {
    const taken = await tx`
      DELETE FROM dead_schedules WHERE schedule_id = ANY (ARRAY (
        SELECT schedule_id FROM dead_schedules ORDER BY schedule_id LIMIT ${rowsMax} FOR UPDATE SKIP LOCKED))
      RETURNING schedule_id, account_id, extract(epoch FROM died_at)::float8 * 1000 AS at_ms`;
    if (taken.length === 0) return 0;
    const deaths = await describeDeaths(tx as unknown as Sql, taken as unknown as Taken[]);
    for (const accountId of [...deaths.keys()].toSorted()) {
      const group = await lockDeathGroup(tx as unknown as Sql, accountId);
      await writeDeathGroup(tx as unknown as Sql, accountId, addDeaths(group, deaths.get(accountId) ?? []));
    }
    return taken.length;
  });
}

type Taken = { schedule_id: string; account_id: string; at_ms: number };

/** The deaths to tell owners of, by account. */
async function describeDeaths(sql: Sql, taken: readonly Taken[]): Promise<Map<string, Death[]>> {
  const rows = await sql`
    SELECT d.account_id, d.at_ms, s.origin, s.last_status_code, s.last_error,
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
      ...{ target: hostOf(row.origin), code: row.last_status_code, error: row.last_error },
      ...{ dueMs: Math.round(row.due_ms), atMs: Math.round(row.at_ms) },
    };
    deaths.set(row.account_id, [...(deaths.get(row.account_id) ?? []), death]);
  }
  return deaths;
}

const hostOf = (origin: string): string => origin.replace(/^https?:\/\//, "");

/** The death group of an account, locked until the end of the transaction. Makes it when the account has none. */
export async function lockDeathGroup(sql: Sql, accountId: string): Promise<DeathGroup> {
  await sql`INSERT INTO death_groups (account_id) VALUES (${accountId}) ON CONFLICT DO NOTHING`;
  const [row] = await sql`
    SELECT waiting, interval_ms::float8 AS "intervalMs",
      extract(epoch FROM last_death_at)::float8 * 1000 AS "lastDeathAtMs",
      extract(epoch FROM last_notice_at)::float8 * 1000 AS "lastNoticeAtMs"
    FROM death_groups WHERE account_id = ${accountId} FOR UPDATE`;
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
