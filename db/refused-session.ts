import { isOfConnection } from "./driver.ts";
import { InstallationError } from "./installation-error.ts";

type ServerError = Error & { code?: string; severity?: string; severity_local?: string; file?: string };

/**
 * An InstallationError with the text of `error`, when it says that a session may not begin with the settings that were
 * sent for it; otherwise undefined. One that says why a connection could not even be tried is returned as it is. PostgreSQL and most poolers answer with a FATAL error of class 22 (a value), 42 (a
 * name or a right) or 0A (not supported). PgBouncer answers with 08P01, as it does in outages, and PostgreSQL with 42501
 * also when the role may not use the database: there the text decides, or for PostgreSQL, whose texts
 * are in the language of lc_messages, the file that it comes from. Source: PostgreSQL documentation, appendix A;
 * PgBouncer, src/client.c.
 */
export function refusedSession(error: unknown): InstallationError | undefined {
  if (error instanceof InstallationError && isOfConnection(error)) return error;
  const { code = "", message, severity, severity_local, file, cause } = (error ?? {}) as ServerError;
  if (cause !== undefined && cause !== error) return refusedSession(cause);
  if ((severity ?? severity_local) !== "FATAL") return undefined;
  const isDecidedByText = code === "08P01" || code === "42501";
  if (isDecidedByText ? !(/\bparameter/i.test(message) || file === "guc.c") : !/^(22|42|0A)...$/.test(code))
    return undefined;
  return new InstallationError(
    `The database refuses the connection: ${message}. Where a pooler says so, set DATABASE_DIRECT_URL to the database itself; otherwise check the parameters in the address.`,
    { cause: error },
  );
}
