import type { Sql } from "../../client.ts";

/**
 * Throws what a create or a record would throw now: when the disk is full, the database is read-only, a right is missing,
 * or a commit waits for a standby that is away. Leaves nothing behind: it locks one row, writes none, and spills 256 KiB
 * to a temporary file. An UPDATE does not notice a full disk while its page and the current segment of the log have room.
 */
export async function probeWrite(sql: Sql): Promise<void> {
  await sql.begin(async (tx) => {
    // The least work_mem, and the default tablespace, which has the tables.
    await tx`SELECT set_config('work_mem', '64kB', true), set_config('temp_tablespaces', '', true)`;
    await tx`
      WITH created AS (INSERT INTO schedules (id) SELECT id FROM schedules WHERE false),
        changed AS (UPDATE schedules SET status = status WHERE false),
        recorded AS (INSERT INTO attempts (schedule_id) SELECT schedule_id FROM attempts WHERE false),
        locked AS (SELECT name FROM instance_secrets WHERE name = 'key_check' FOR KEY SHARE),
        spilled AS MATERIALIZED (SELECT repeat(' ', 65536) AS page FROM generate_series(1, 4))
      SELECT (SELECT name FROM locked), (SELECT sum(length(page)) FROM spilled)`;
  });
}
