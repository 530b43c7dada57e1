import { join } from "node:path";
import { packagedPrograms } from "#scripts/postgres/home.ts";

/**
 * Where the programs of the PostgreSQL are that `npm run test:postgres` chose, as `startEmbeddedPostgres` takes them.
 * Otherwise tests run on the one that `npm ci` brings.
 */
export function chosenRelease(): { programs?: string } {
  const major = process.env.TEST_POSTGRES_MAJOR;
  if (!major) return {};
  return { programs: packagedPrograms(`postgres-${major}`, join(import.meta.dirname, "../postgres/package.json")) };
}
