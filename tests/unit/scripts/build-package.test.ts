import fs, { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { buildPackage } from "#scripts/packages/build-package.ts";

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

/** A package with a program that prints `ready`, and with what earlier builds have left. */
async function makePackage(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "package-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "package.json"), JSON.stringify({ bin: { one: "./dist/one.js" } }));
  for (const part of ["src", "dist"]) await mkdir(join(folder, part));
  await writeFile(join(folder, "src/one.ts"), 'console.log("ready");\n');
  await writeFile(join(folder, "dist/gone-A1B2C3.js"), "");
  await writeFile(join(folder, "dist/one.js.7.tmp"), "");
  return folder;
}

it("a build ends well though another one begins and ends within it, and both leave only the package", async () => {
  const folder = await makePackage();
  const { rename } = fs;
  let builds = 1;
  vi.spyOn(fs, "rename").mockImplementation(async (from, to) => {
    // The other build takes place while the first one has written a file that it has not put into place yet.
    if (builds++ === 1) await buildPackage(folder);
    return rename(from, to);
  });
  syncBuiltinESMExports();
  await buildPackage(folder);
  expect(builds).toBeGreaterThan(1);
  expect((await readdir(folder)).toSorted()).toEqual(["dist", "package.json", "src"]);
  expect((await readdir(join(folder, "dist"))).toSorted()).toEqual(["NOTICE", "one.js"]);
  expect(await readFile(join(folder, "dist/one.js"), "utf8")).toMatch(/^#!.*\nconsole\.log\("ready"\);/);
});
