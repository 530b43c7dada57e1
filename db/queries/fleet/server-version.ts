import type { ServerVersion } from "#domain/postgres-releases.ts";
import type { Sql } from "../../client.ts";

/** Reads the version that the PostgreSQL server reports. */
export async function readServerVersion(sql: Sql): Promise<ServerVersion> {
  const [row] = await sql<[ServerVersion]>`
    SELECT coalesce(current_setting('server_version_num', true), '0')::integer AS number,
           coalesce(current_setting('server_version', true), '') AS text`;
  return row;
}
