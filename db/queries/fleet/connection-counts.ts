import type { Sql } from "../../client.ts";

/** Connections to the server, and the limits that hold for the role of this connection; a limit is null where there is none. */
export type ConnectionCounts = {
  /** All connections to the server now. */
  used: number;
  /** max_connections without those that are kept for superusers. */
  serverMax: number;
  databaseUsed: number;
  databaseMax: number | null;
  roleUsed: number;
  roleMax: number | null;
};

/**
 * Reads them. Source: PostgreSQL documentation, sections 20.3.1 (superuser_reserved_connections, and since 16
 * reserved_connections), ALTER ROLE and ALTER DATABASE (CONNECTION LIMIT, -1 for none).
 */
export async function readConnectionCounts(sql: Sql): Promise<ConnectionCounts> {
  // Who may not see the activity of others sees their user and database.
  const [row] = await sql<[ConnectionCounts]>`
    SELECT (SELECT sum(numbackends)::integer FROM pg_stat_database) AS used,
      current_setting('max_connections')::integer - CASE WHEN r.rolsuper THEN 0 ELSE
        current_setting('superuser_reserved_connections')::integer
          + coalesce(nullif(current_setting('reserved_connections', true), ''), '0')::integer END AS "serverMax",
      (SELECT numbackends FROM pg_stat_database WHERE datid = d.oid) AS "databaseUsed",
      nullif(d.datconnlimit, -1) AS "databaseMax",
      (SELECT count(*)::integer FROM pg_stat_activity WHERE usesysid = r.oid) AS "roleUsed",
      nullif(r.rolconnlimit, -1) AS "roleMax"
    FROM pg_roles r, pg_database d WHERE r.rolname = current_user AND d.datname = current_database()`;
  return row;
}
