import { describeDatabase, parseDatabaseAddress } from "#domain/database-address.ts";
import { faultOf } from "../client.ts";

/** The migrations could not be applied. The message says what to do and never shows a password. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
  /** The database could not be reached: it may come, and the same call may succeed then. */
  readonly isUnreachable: boolean;

  constructor(message: string, { isUnreachable = false, ...options }: ErrorOptions & { isUnreachable?: boolean } = {}) {
    super(message, options);
    this.isUnreachable = isUnreachable;
  }
}

/**
 * The MigrationError for what the driver or the server threw while the database at `url` was migrated: by the migration `tag`,
 * if one was being applied.
 */
export function explainMigrationFailure(error: unknown, url: string, tag: string | undefined): MigrationError {
  const { code, message } = ((error as Error).cause ?? error) as { code?: string; message: string };
  const address = parseDatabaseAddress(url);
  const { user, hosts } = address;
  const database = describeDatabase(address);
  const failure = (text: string) => new MigrationError(text, { cause: error });

  if (code === "28P01" || code === "28000")
    return failure(`The database ${database} refuses the user ${user}: correct user and password in its address.`);
  if (code === "3D000") return failure(`There is no database ${database}: create it first.`);
  if (code === "42501")
    return failure(
      `The user ${user} may not change the schema of ${database}. Migrate as its owner: set DATABASE_OWNER_URL where the service has a role of its own. (${message})`,
    );
  if (faultOf(error) === "unreachable") {
    const needed = hosts.length > 1 ? " (one of the hosts has to take writes)" : "";
    return new MigrationError(
      `The database ${database} cannot be reached: ${message || code}${needed}. Start it, or correct its address.`,
      { cause: error, isUnreachable: true },
    );
  }
  if (tag !== undefined)
    return failure(
      `The migration ${tag} cannot be applied to the database ${database}. Those before it are applied. (${message})`,
    );
  return failure(`The database ${database} could not be migrated: ${message}`);
}
