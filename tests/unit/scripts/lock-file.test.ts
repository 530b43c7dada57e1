import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import manifest from "#package.json" with { type: "json" };
import { nameAt } from "#scripts/lockfile/unpinned.ts";

type Entry = { name?: string; version: string; hasInstallScript?: boolean };

const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as { packages: Record<string, Entry> };
const installed = Object.entries(lock.packages).filter(([path]) => path.includes("node_modules/"));

test("whether a package may run a script when it is installed is decided by its name", () => {
  const withScript = installed.filter(([, { hasInstallScript }]) => hasInstallScript);
  const names = new Set(withScript.map(([path, entry]) => nameAt(path, entry)));
  expect(Object.keys(manifest.allowScripts).sort()).toEqual([...names].sort());
});

test("every Node.js that npm installs is a 24 with the last security release, at an exact version", () => {
  for (const [name, version] of Object.entries(manifest.optionalDependencies)) {
    const [major, minor, patch] = version.split(".").map(Number) as [number, number, number];
    expect([name, major]).toEqual([name, 24]);
    expect(minor * 1_000 + patch, name).toBeGreaterThanOrEqual(18_001);
    expect(lock.packages[`node_modules/${name}`]?.version).toBe(version);
  }
});
