import type { OnRecurringClockChange } from "#domain/recurrence.ts";
import type { Sql } from "../../client.ts";
import { pgArray } from "../../pg-array.ts";

/** The release of the IANA zone data that this process computes by, such as 2026a; releases sort as text. */
export const ZONE_DATA = process.versions.tz ?? "";

/** A recurrence whose occurrences were computed by older zone data; instants are epoch ms. */
export type Outdated = {
  /** UUID. */
  id: string;
  cron: string;
  zone: string;
  onClockChange: OnRecurringClockChange;
  endsAtMs: number | null;
  /** From here on its occurrences may be made anew. */
  fromMs: number;
  /** The instants of its occurrences from there on that have not left. */
  madeMs: number[];
};

/** How far ahead an occurrence must be to be made anew. */
const AHEAD = "1 day";

/**
 * Goes through recurrences of the given shards whose occurrences were computed by older zone data than `zoneData` (a release such
 * as 2026a), at most `countMax`, in one transaction. Of those that `isWrong` says so of, the occurrences more than a day
 * ahead are taken back, and a step makes them again. Returns how many it went through.
 */
export async function renewOutdated(
  sql: Sql,
  shards: readonly number[],
  zoneData: string,
  countMax: number,
  isWrong: (one: Outdated) => boolean,
): Promise<number> {
  return sql.begin(async (begun) => {
    const tx = begun as unknown as Sql;
    const outdated = await lockOutdated(tx, shards, zoneData, countMax);
    const wrong = outdated.filter(isWrong).map(({ id }) => id);
    await tx`
      SELECT take_back_occurrences(r.account_id, r.env, r.id, clock_timestamp() + ${AHEAD}::interval)
      FROM recurrences r WHERE r.id = ANY (${pgArray(wrong)}::text::uuid[])`;
    await tx`
      UPDATE recurrences r SET next_step_at = clock_timestamp(), made_until = coalesce(
        (SELECT max(m.occurrence_at) FROM schedule_requests m
          WHERE m.account_id = r.account_id AND m.env = r.env AND m.recurrence_id = r.id
            AND m.occurrence_at BETWEEN clock_timestamp() AND clock_timestamp() + ${AHEAD}::interval),
        clock_timestamp() - r.spread_ms * interval '1 millisecond'),
        open_from = least(open_from, clock_timestamp() - r.spread_ms * interval '1 millisecond')
      WHERE r.id = ANY (${pgArray(wrong)}::text::uuid[])`;
    await tx`
      UPDATE recurrences SET zone_data = ${zoneData}
      WHERE id = ANY (${pgArray(outdated.map(({ id }) => id))}::text::uuid[])`;
    return outdated.length;
  });
}

async function lockOutdated(
  tx: Sql,
  shards: readonly number[],
  zoneData: string,
  countMax: number,
): Promise<Outdated[]> {
  const rows = await tx`
    WITH outdated AS MATERIALIZED (
      SELECT id, account_id, env, cron, timezone, on_clock_change, ends_at FROM recurrences
      WHERE shard = ANY (${pgArray(shards)}::text::smallint[]) AND status = 'active' AND timezone <> 'UTC'
        AND zone_data < ${zoneData}
      ORDER BY id LIMIT ${countMax} FOR UPDATE SKIP LOCKED
    )
    SELECT o.id, o.cron, o.timezone AS zone, o.on_clock_change AS "onClockChange",
      extract(epoch FROM o.ends_at)::float8 * 1000 AS ends_at_ms,
      extract(epoch FROM clock_timestamp() + ${AHEAD}::interval)::float8 * 1000 AS from_ms,
      array_to_json(ARRAY(
        SELECT extract(epoch FROM m.occurrence_at)::float8 * 1000 FROM schedule_requests m JOIN schedules s ON s.id = m.schedule_id
        WHERE m.account_id = o.account_id AND m.env = o.env AND m.recurrence_id = o.id AND s.status = 'scheduled'
          AND m.occurrence_at >= clock_timestamp() + ${AHEAD}::interval
        ORDER BY m.occurrence_at)) AS made_ms
    FROM outdated o`;
  return rows.map(({ ends_at_ms, from_ms, made_ms, ...row }) => ({
    ...(row as unknown as Pick<Outdated, "id" | "cron" | "zone" | "onClockChange">),
    endsAtMs: ends_at_ms === null ? null : Math.round(ends_at_ms),
    fromMs: from_ms,
    madeMs: made_ms.map(Math.round),
  }));
}
