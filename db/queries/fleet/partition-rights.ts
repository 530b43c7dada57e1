import type { Sql } from "../../client.ts";
import { InstallationError } from "../../installation-error.ts";

/**
 * Checks that the role of this process may call the functions that make and drop the daily tables of attempts. Throws an
 * InstallationError that says what to do: without them, attempts would pile up in the default partition.
 */
export async function assertMayMakePartitions(sql: Sql): Promise<void> {
  const [row] = await sql`
    SELECT current_user AS role, has_function_privilege('make_attempt_partitions(date, integer)', 'EXECUTE')
      AND has_function_privilege('drop_attempt_partition(integer)', 'EXECUTE') AS may`;
  if (row?.may) return;
  throw new InstallationError(
    `The role ${row?.role} may not make and drop the daily tables of attempts: run "npm run migrate" with DATABASE_OWNER_URL, or, as the owner of the database, GRANT EXECUTE ON FUNCTION make_attempt_partitions(date, integer), drop_attempt_partition(integer) TO ${JSON.stringify(row?.role)}.`,
  );
}
