import type postgres from "postgres";
import { waitFor } from "./wait-for.ts";

/**
 * Runs `trial` while at least `seconds` of the minute are left by the database's clock, since counts start again with
 * each minute. Repeats a trial that failed because a new minute began meanwhile, three times at most.
 */
export async function withinOneMinute(sql: postgres.Sql, trial: () => Promise<void>, seconds = 10): Promise<void> {
  const read = async () => {
    const [row] = await sql`SELECT extract(epoch FROM clock_timestamp())::float8 AS now`;
    const now = row?.now as number;
    return { minute: Math.floor(now / 60), leftS: 60 - (now % 60) };
  };
  for (let repeated = 0; ; repeated++) {
    await waitFor(`${seconds} s of the minute are left`, async () => (await read()).leftS > seconds, 60_000);
    const { minute } = await read();
    try {
      return await trial();
    } catch (error) {
      if (repeated === 3 || (await read()).minute === minute) throw error;
    }
  }
}
