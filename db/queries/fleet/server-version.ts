import { type ServerVersion, tooOldNotice } from "#domain/postgres-releases.ts";
import type { Sql } from "../../client.ts";
import { InstallationError } from "../../installation-error.ts";

/** Reads the version that the PostgreSQL server reports. Throws an InstallationError when it is too old. */
export async function readServerVersion(sql: Sql): Promise<ServerVersion> {
  const [row] = await sql<[ServerVersion]>`
    SELECT coalesce(current_setting('server_version_num', true), '0')::integer AS number,
           coalesce(current_setting('server_version', true), '') AS text`;
  const notice = tooOldNotice(row);
  if (notice) throw new InstallationError(notice);
  return row;
}
