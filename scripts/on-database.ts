import { connect, type Sql } from "#db/client.ts";
import { POOLED_SESSION } from "#db/sessions.ts";
import { withCleanUp } from "./clean-up.ts";

/** Runs `work` on the database at `url`, over one connection that it opens and closes. `name` is shown in pg_stat_activity. */
export async function onDatabase<T>(
  url: string,
  { name, deadlineMs = 10_000 }: { name: string; deadlineMs?: number },
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  const database = connect({ url, name, connectionsMax: 1, prepare: false, session: POOLED_SESSION });
  return withCleanUp(() => database.run(deadlineMs, ({ sql }) => work(sql)), [() => database.close()]);
}
