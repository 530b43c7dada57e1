import { readdir, readFile } from "node:fs/promises";
import manifest from "#package.json" with { type: "json" };
import { command } from "../command.ts";
import type { LockedPackages } from "../lockfile/missing-platforms.ts";
import { describeProduction, type Patches } from "../sbom/cyclonedx.ts";

await command<Record<string, never>>({
  usage: `Usage: npm run --silent sbom > stopwatch.cdx.json

Writes what production consists of, on every platform, as a CycloneDX 1.6 document (JSON): the packages of
package-lock.json with their hashes and licenses, the PostgreSQL and the Node.js that some of them carry, and our patches.`,
  options: {},
  async run() {
    const lock = JSON.parse(await readFile("package-lock.json", "utf8")) as { packages: LockedPackages };
    console.log(JSON.stringify(describeProduction(manifest, lock.packages, await readPatches(), new Date()), null, 2));
    return 0;
  },
});

async function readPatches(): Promise<Patches> {
  const names = (await readdir("patches")).filter((name) => name.endsWith(".patch"));
  const texts = names.map(async (name) => {
    const [packageName, version] = name.replace(/\.patch$/, "").split(/\+(?=\d)/);
    return [`${packageName?.replace("+", "/")}@${version}`, await readFile(`patches/${name}`, "utf8")] as const;
  });
  return new Map(await Promise.all(texts));
}
