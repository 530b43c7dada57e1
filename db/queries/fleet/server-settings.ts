import { type FoundSettings, JUDGED, judgeSettings, type SettingsVerdict } from "#domain/server-settings.ts";
import type { Sql } from "../../client.ts";
import { InstallationError } from "../../installation-error.ts";
import { pgTextArray } from "../../pg-array.ts";

/** How the session that is judged reaches the server, and whether it is to migrate. */
export type SettingsOf = Parameters<typeof judgeSettings>[1];

/**
 * Checks the settings that this session has on the server. Returns what to warn of, and what further sessions have to begin
 * with. Throws an InstallationError that names each setting with which the service cannot work.
 */
export async function assertSettingsFit(sql: Sql, of?: SettingsOf): Promise<Omit<SettingsVerdict, "refused">> {
  const [found] = await sql<[FoundSettings]>`
    WITH home AS (
      SELECT CASE WHEN to_regclass(quote_ident(current_schema()) || '.__drizzle_migrations') IS NULL THEN 'public'
        ELSE current_schema()::text END AS name
    )
    SELECT home.name AS home, to_regclass(format('%I.schedules', home.name)) IS NOT NULL AS "isInstalled", (SELECT json_object_agg(name, setting) FROM pg_settings
        WHERE name = ANY (${pgTextArray(JUDGED)}::text::text[])) AS settings,
      current_user AS user, current_database() AS database, current_schema() AS schema,
      current_setting('search_path') AS "searchPath",
      (SELECT coalesce(json_agg(c.relname), '[]') FROM pg_class c
        WHERE c.relnamespace = to_regnamespace(quote_ident(home.name)) AND c.relkind IN ('r', 'p') AND NOT pg_table_is_visible(c.oid)
          AND c.relowner = (SELECT relowner FROM pg_class WHERE oid = to_regclass(format('%I.schedules', home.name)))) AS hidden,
      (SELECT coalesce(json_agg(c.relname ORDER BY c.relname), '[]') FROM pg_class c
        WHERE c.relnamespace = to_regnamespace(quote_ident(home.name)) AND c.relkind IN ('r', 'p') AND row_security_active(c.oid)
          AND c.relowner = (SELECT relowner FROM pg_class WHERE oid = to_regclass(format('%I.schedules', home.name)))) AS guarded
    FROM home`;
  const { refused, ...advice } = judgeSettings(found, of);
  if (refused.length === 0) return advice;
  throw new InstallationError(
    `The settings of the database do not fit: ${refused.join("; ")}. They apply to new connections, those of a pooler included.`,
  );
}
