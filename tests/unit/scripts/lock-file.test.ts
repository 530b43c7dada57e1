import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import manifest from "#package.json" with { type: "json" };
import { nameAt } from "#scripts/lockfile/unpinned.ts";
import bench from "../../bench/package.json" with { type: "json" };
import runtimes from "../../runtimes/package.json" with { type: "json" };

type Entry = { name?: string; version: string; hasInstallScript?: boolean };

const readLock = (path: string) => JSON.parse(readFileSync(path, "utf8")) as { packages: Record<string, Entry> };

const lock = readLock("package-lock.json");

test.each([
  ["the project", manifest, lock],
  ["tests/bench", bench, readLock("tests/bench/package-lock.json")],
  ["tests/runtimes", runtimes, readLock("tests/runtimes/package-lock.json")],
])(
  "whether a package of %s may run a script when it is installed is decided by its name",
  (_, decided, { packages }) => {
    const installed = Object.entries(packages).filter(([path]) => path.includes("node_modules/"));
    const withScript = installed.filter(([, { hasInstallScript }]) => hasInstallScript);
    const names = new Set(withScript.map(([path, entry]) => nameAt(path, entry)));
    expect(Object.keys(decided.allowScripts).sort()).toEqual([...names].sort());
  },
);

test("every Node.js that npm installs is a 24 with the last security release, at an exact version", () => {
  for (const [name, version] of Object.entries(manifest.optionalDependencies)) {
    const [major, minor, patch] = version.split(".").map(Number) as [number, number, number];
    expect([name, major]).toEqual([name, 24]);
    expect(minor * 1_000 + patch, name).toBeGreaterThanOrEqual(18_001);
    expect(lock.packages[`node_modules/${name}`]?.version).toBe(version);
  }
});
