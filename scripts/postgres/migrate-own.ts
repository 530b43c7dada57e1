import type { CheckedServer } from "#db/check-server.ts";
import { type MigrateOptions, migrate } from "#db/migrate.ts";
import { readSchema } from "#db/schema-of-installation.ts";
import { describeExcess, readRestrictedRole } from "#db/service-role.ts";
import { onDatabase } from "../on-database.ts";
import { SetupError } from "../setup-error.ts";

const CONNECTION = { name: "stopwatch migrate" };

type Addresses = {
  databaseUrl: string | undefined;
  databaseDirectUrl: string | undefined;
  databaseOwnerUrl: string | undefined;
};

type Options = Omit<MigrateOptions, "serviceRoles"> & { onLog: (line: string) => void };

/**
 * Migrates the operator's own database. With DATABASE_OWNER_URL it does so as the owner, and grants the roles of
 * DATABASE_URL and DATABASE_DIRECT_URL what the service needs. Returns what is known of the server. Throws a MigrationError,
 * and a SetupError when DATABASE_URL is missing.
 */
export async function migrateOwnDatabase(addresses: Addresses, options: Options): Promise<CheckedServer> {
  const { onLog } = options;
  const { databaseUrl, databaseDirectUrl, databaseOwnerUrl } = addresses;
  if (!databaseUrl || !databaseDirectUrl) throw new SetupError("DATABASE_OWNER_URL needs DATABASE_URL beside it.");
  if (databaseOwnerUrl === undefined) return migrate(databaseDirectUrl, options);
  await migrate(databaseOwnerUrl, options);
  const schema = await onDatabase(databaseOwnerUrl, CONNECTION, readSchema);
  const roles = new Set<string>();
  for (const url of new Set([databaseUrl, databaseDirectUrl])) {
    const role = await onDatabase(url, CONNECTION, (sql) => readRestrictedRole(sql, schema));
    if (role === undefined) onLog("DATABASE_URL connects as a role that may change the tables.");
    else roles.add(role);
  }
  const server = await migrate(databaseOwnerUrl, { ...options, serviceRoles: [...roles] });
  for (const role of roles) {
    const excess = await onDatabase(databaseOwnerUrl, CONNECTION, (sql) => describeExcess(sql, role));
    onLog(excess ?? `The role ${role} has what the service needs, and may not change the tables.`);
  }
  return server;
}
