import { isUnavailable } from "../client.ts";

/** The migrations could not be applied. The message says what to do and never shows a password. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
}

/**
 * The MigrationError for what the driver or the server threw while the database at `url` was migrated: by the migration `tag`,
 * if one was being applied.
 */
export function explainMigrationFailure(error: unknown, url: string, tag: string | undefined): MigrationError {
  const { code, message } = ((error as Error).cause ?? error) as { code?: string; message: string };
  // A URL parser refuses an address with several hosts: show the first host.
  const { hostname, port, pathname, username } = new URL(url.replace(/,[^/]*/, ""));
  const database = `${pathname.slice(1)} on ${hostname}:${port || 5432}`;
  const failure = (text: string) => new MigrationError(text, { cause: error });

  if (code === "28P01" || code === "28000") return failure(`The database ${database} refuses the user ${username}.`);
  if (code === "3D000") return failure(`There is no database ${database}: create it first.`);
  if (code === "42501")
    return failure(
      `The user ${username} may not change the schema of ${database}. Migrate as its owner: set DATABASE_OWNER_URL where the service has a role of its own. (${message})`,
    );
  if (isUnavailable(error)) return failure(`The database ${database} cannot be reached: ${message || code}`);
  if (tag !== undefined)
    return failure(
      `The migration ${tag} cannot be applied to the database ${database}. Those before it are applied. (${message})`,
    );
  return failure(`The database ${database} could not be migrated: ${message}`);
}
