import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { installPeers } from "../../bench/install-peers.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "stopwatch-peers-"));
  await writePackage("1.0.0");
  vi.spyOn(console, "log").mockImplementation(() => {});
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

/** Writes a package with one dependency, which is a folder beside it, and its lock file. */
async function writePackage(version: string) {
  const manifest = { name: "peers", version, dependencies: { peer: "file:peer" } };
  const packages = { "": manifest, peer: { version: "1.0.0" }, "node_modules/peer": { resolved: "peer", link: true } };
  await mkdir(join(folder, "peer"), { recursive: true });
  await writeFile(join(folder, "peer/package.json"), JSON.stringify({ name: "peer", version: "1.0.0" }));
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  await writeFile(join(folder, "package-lock.json"), JSON.stringify({ ...manifest, lockfileVersion: 3, packages }));
}

test("the bench installs its engines once, and again after their lock file changed, and says so in one line", async () => {
  await installPeers(folder);
  expect(console.log).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("npm ci --prefix"));
  await installPeers(folder);
  expect(console.log).toHaveBeenCalledTimes(1);
  await writePackage("1.0.1");
  await installPeers(folder);
  expect(console.log).toHaveBeenCalledTimes(2);
});

test("an installation that fails is an error that names the command and how to do without, and is tried again", async () => {
  await rm(join(folder, "package.json"));
  const failing = () => installPeers(folder);
  await expect(failing).rejects.toThrow(/"npm ci --prefix .*" failed\..*--engines baseline,stopwatch/);
  await expect(failing).rejects.toThrow("failed");
});
