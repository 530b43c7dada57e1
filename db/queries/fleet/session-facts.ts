import type { Sql } from "../../client.ts";

/** What a connection leads to: the database and its server, and the role that it has. */
export type SessionFacts = {
  database: string;
  role: string;
  isSuperuser: boolean;
  /** Whether the connection to the server, or to a pooler's server, is encrypted. */
  isEncrypted: boolean;
  /** The same for all connections to one database of one running server. */
  identity: string;
  /** When the server was started, epoch ms. */
  startedAtMs: number;
  /** Limit of the time of a statement in this session, ms; 0 means none. */
  statementTimeoutMs: number;
};

export async function readSessionFacts(sql: Sql): Promise<SessionFacts> {
  const [row] = await sql<[SessionFacts]>`
    SELECT current_database() AS database, current_user::text AS role,
      (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS "isSuperuser",
      coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS "isEncrypted",
      concat_ws(' ', extract(epoch FROM pg_postmaster_start_time()),
        (SELECT oid FROM pg_database WHERE datname = current_database())) AS identity,
      (extract(epoch FROM pg_postmaster_start_time()) * 1000)::float8 AS "startedAtMs",
      (SELECT setting::integer FROM pg_settings WHERE name = 'statement_timeout') AS "statementTimeoutMs"`;
  return row;
}
