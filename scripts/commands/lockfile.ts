import { glob, readFile, writeFile } from "node:fs/promises";
import { command } from "../command.ts";
import { findWithoutLibc, type LockedPackages, missingPlatforms } from "../lockfile/missing-platforms.ts";
import { findPublished } from "../lockfile/registry.ts";
import { findUnpinned, nameAt } from "../lockfile/unpinned.ts";
import { SetupError } from "../setup-error.ts";

/** The lock files of the project and of the packages of their own. */
const LOCKFILES = "{,tests/*/,scripts/postgres/releases/*/}package-lock.json";

await command<{ check?: boolean }>({
  usage: `Usage: npm run lockfile:fix [-- --check]

Completes the lock files of the project and of the packages in tests/ and scripts/postgres/releases/, so that "npm ci" installs the same bytes on every
platform, from any registry:

  - packages for other platforms that npm left out because the registry lacked them, without which "npm ci" refuses the
    file everywhere
  - the hash (integrity) of each archive, as the registry says it
  - which packages need the GNU C library
  - no addresses of archives: npm takes them from the registry that it is set to

Run it after each change of dependencies. It fails when the registry does not have a package.

  --check  changes nothing and asks nobody, fails when something is missing`,
  options: { check: { type: "boolean" } },
  async run({ check }) {
    for await (const file of glob(LOCKFILES)) await complete(file, check === true);
    return 0;
  },
});

async function complete(file: string, isCheck: boolean): Promise<void> {
  const lock = JSON.parse(await readFile(file, "utf8")) as { packages: LockedPackages };
  const missing = missingPlatforms(lock.packages);
  const packages = { ...lock.packages, ...missing };
  const { withoutIntegrity, withAddress } = findUnpinned(packages);
  const withoutLibc = findWithoutLibc(packages);
  const faults = [
    ...Object.keys(missing).map((path) => `it lacks ${path}`),
    ...withoutIntegrity.map((path) => `${path} has no integrity`),
    ...withoutLibc.map((path) => `${path} does not say that it needs glibc`),
    ...withAddress.map((path) => `${path} names an address`),
  ];
  if (faults.length === 0) return;
  if (isCheck) throw new SetupError(`${file}: ${faults.join("; ")}. Run "npm run lockfile:fix".`);

  for (const path of withoutLibc) packages[path] = { ...packages[path], libc: ["glibc"] };
  for (const path of withAddress) delete packages[path]?.resolved;
  const unknown: string[] = [];
  for (const path of withoutIntegrity) {
    const entry = packages[path] as LockedPackages[string];
    const published = await findPublished(nameAt(path, entry), String(entry.version));
    if (published?.integrity) packages[path] = { ...entry, ...published };
    else unknown.push(path);
  }
  const sorted = Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, "en"));
  await writeFile(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`);
  console.log(`Mended ${file}: ${faults.join("; ")}.`);
  if (unknown.length > 0) throw new SetupError(`The registry does not have ${unknown.join(", ")}.`);
}
