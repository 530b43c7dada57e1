import { readFile, writeFile } from "node:fs/promises";
import { command } from "../command.ts";
import { type LockedPackages, missingPlatforms } from "../missing-platforms.ts";
import { SetupError } from "../setup-error.ts";

const LOCKFILE = "package-lock.json";

await command<{ check?: boolean }>({
  usage: `Usage: npm run lockfile:fix [-- --check]

Adds the packages for other platforms that npm left out of package-lock.json. npm does so when the registry lacks them, and
"npm ci" then refuses the file on every platform. Run it after each change of dependencies.

  --check  changes nothing, fails when one is missing`,
  options: { check: { type: "boolean" } },
  async run({ check }) {
    const lock = JSON.parse(await readFile(LOCKFILE, "utf8")) as { packages: LockedPackages };
    const missing = missingPlatforms(lock.packages);
    const places = Object.keys(missing).join(", ");
    if (!places) return 0;
    if (check) throw new SetupError(`${LOCKFILE} lacks ${places}: run "npm run lockfile:fix".`);

    const packages = Object.entries({ ...lock.packages, ...missing }).sort(([a], [b]) => a.localeCompare(b, "en"));
    await writeFile(LOCKFILE, `${JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }, null, 2)}\n`);
    console.log(`Added ${places}.`);
    return 0;
  },
});
