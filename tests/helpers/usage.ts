import type postgres from "postgres";

/** Has an account have created `scheduled` schedules in a month such as 203101, this one by default, whatever it created. */
export async function setUsage(
  sql: postgres.Sql | postgres.TransactionSql,
  accountId: string,
  scheduled: number,
  { env = "live", period = null }: { env?: "live" | "test"; period?: string | null } = {},
): Promise<void> {
  await sql`
    SELECT count_usage(${accountId}, ${env}, p.period, u.part, ${scheduled})
    FROM coalesce(${period}, to_char(now() AT TIME ZONE 'utc', 'YYYYMM')) p(period),
      lock_usage(${accountId}, ${env}, p.period) u`;
}
