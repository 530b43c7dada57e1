import { readFile } from "node:fs/promises";
import manifest from "#package.json" with { type: "json" };
import type { LockedPackages } from "../lockfile/missing-platforms.ts";
import { describeProduction } from "./cyclonedx.ts";
import { readPatches } from "./read-patches.ts";

/** The CycloneDX document of this checkout, as text. `at` is when it was made. */
export async function describeCheckout(at: Date): Promise<string> {
  const lock = JSON.parse(await readFile("package-lock.json", "utf8")) as { packages: LockedPackages };
  return JSON.stringify(describeProduction(manifest, lock.packages, await readPatches(), at), null, 2);
}
