import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { installPackage } from "#scripts/packages/install-package.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "stopwatch-package-"));
  await writePackage("1.0.0");
  vi.spyOn(console, "log").mockImplementation(() => {});
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

const install = () => installPackage(folder, "the peers", "Do without.");

/** Writes a package with one dependency, which is a folder beside it, and its lock file. */
async function writePackage(version: string) {
  const manifest = { name: "peers", version, dependencies: { peer: "file:peer" } };
  const packages = { "": manifest, peer: { version: "1.0.0" }, "node_modules/peer": { resolved: "peer", link: true } };
  await mkdir(join(folder, "peer"), { recursive: true });
  await writeFile(join(folder, "peer/package.json"), JSON.stringify({ name: "peer", version: "1.0.0" }));
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  await writeFile(join(folder, "package-lock.json"), JSON.stringify({ ...manifest, lockfileVersion: 3, packages }));
}

test("a package is installed once, and again after its lock file changed, and that is said in one line", async () => {
  await install();
  expect(console.log).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("npm ci --prefix"));
  await install();
  expect(console.log).toHaveBeenCalledTimes(1);
  await writePackage("1.0.1");
  await install();
  expect(console.log).toHaveBeenCalledTimes(2);
});

test("an installation that fails is an error that names the command and how to do without, and is tried again", async () => {
  await rm(join(folder, "package.json"));
  await expect(install).rejects.toThrow(/Could not install the peers: "npm ci --prefix .*" failed\. Do without\./);
  await expect(install).rejects.toThrow("failed");
});
