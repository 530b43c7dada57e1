import type postgres from "postgres";

/**
 * Has the database tell that it is on this timeline, and everything else as it is. `wasStandby`: as a standby does after its
 * promotion, and not as after a restore to a point in time.
 */
export async function pretendTimeline(
  sql: postgres.Sql,
  timeline: number,
  { wasStandby = false }: { wasStandby?: boolean } = {},
): Promise<void> {
  await sql.unsafe(`
    CREATE OR REPLACE FUNCTION database_incarnation(OUT system_identifier bigint, OUT timeline bigint, OUT database_oid bigint,
      OUT table_oid bigint, OUT was_standby boolean) LANGUAGE sql AS $$
      SELECT c.system_identifier, ${timeline}::bigint, d.oid::bigint, 'schedules'::regclass::oid::bigint, ${wasStandby}
      FROM pg_control_system() c, pg_database d WHERE d.datname = current_database() $$`);
}

/** Stores the last heartbeat of a dispatcher that is gone, `agoMs` ago, from this database as it is now. */
export async function leaveHeartbeat(sql: postgres.Sql, agoMs: number): Promise<void> {
  await sql`
    INSERT INTO dispatchers (id, host, pid, version, beat_at, system_identifier, timeline)
    SELECT gen_random_uuid(), 'gone', 1, '0.0.0', now() - ${agoMs} * interval '1 millisecond', i.system_identifier, i.timeline
    FROM database_incarnation() i`;
}
