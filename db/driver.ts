import postgres from "postgres";
import { InstallationError } from "./installation-error.ts";
import { tlsOf } from "./tls.ts";

/** The number that `patches/` writes into the driver. It changes with each change of the patch. */
const PATCH = 2;

/**
 * Opens the driver, postgres.js, on the database at `url`. Throws an InstallationError when it is not patched
 * (docs/decisions/0005-patched-driver.md): as published, it can answer a statement with the rows of another.
 */
export function openDriver(url: string, options: postgres.Options<Record<string, never>>): postgres.Sql {
  if ((postgres as { stopwatchPatch?: number }).stopwatchPatch !== PATCH) {
    throw new InstallationError(
      'The installed database driver is not this version\'s: run "npm ci", with its scripts.',
    );
  }
  return postgres(url, { onnotice: () => {}, ...tlsOf(url), ...options });
}
