import { readdir, readFile } from "node:fs/promises";
import manifest from "#package.json" with { type: "json" };
import type { LockedPackages } from "../lockfile/missing-platforms.ts";
import { describeProduction, type Patches } from "./cyclonedx.ts";

/** The CycloneDX document of this checkout, as text. `at` is when it was made. */
export async function describeCheckout(at: Date): Promise<string> {
  const lock = JSON.parse(await readFile("package-lock.json", "utf8")) as { packages: LockedPackages };
  return JSON.stringify(describeProduction(manifest, lock.packages, await readPatches(), at), null, 2);
}

/** The patches of patches/, by the package and the version that they are for. */
async function readPatches(): Promise<Patches> {
  const names = (await readdir("patches")).filter((name) => name.endsWith(".patch"));
  const texts = names.map(async (name) => {
    const [packageName, version] = name.replace(/\.patch$/, "").split(/\+(?=\d)/);
    return [`${packageName?.replace("+", "/")}@${version}`, await readFile(`patches/${name}`, "utf8")] as const;
  });
  return new Map(await Promise.all(texts));
}
