import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";

const PUBLISHED = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n";
const PATCHED = "one\n2\nthree\nfour\nfive\nsix\nseven\nnine\nten\n";

const gitHash = (text: string) => createHash("sha1").update(`blob ${text.length}\0${text}`).digest("hex");

const PATCH = `diff --git a/node_modules/thing/list.js b/node_modules/thing/list.js
index ${gitHash(PUBLISHED)}..${gitHash(PATCHED)} 100644
--- a/node_modules/thing/list.js
+++ b/node_modules/thing/list.js
@@ -1,3 +1,3 @@
 one
-two
+2
 three
@@ -6,4 +6,4 @@ five
 six
 seven
-eight
 nine
+ten
`;

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "patches-"));
  for (const name of ["scripts", "patches", "node_modules/thing"]) mkdirSync(join(folder, name), { recursive: true });
  cpSync("scripts/apply-patches.mjs", join(folder, "scripts/apply-patches.mjs"));
  file = join(folder, "node_modules/thing/list.js");
  install("1.2.3", PUBLISHED);
  writePatch(PATCH);
});
afterEach(() => rmSync(folder, { recursive: true }));

function install(version: string, text: string) {
  writeFileSync(join(folder, "node_modules/thing/package.json"), JSON.stringify({ name: "thing", version }));
  writeFileSync(file, text);
}

const writePatch = (text: string) => writeFileSync(join(folder, "patches/thing+1.2.3.patch"), text);
const installed = () => readFileSync(file, "utf8");

function apply(...args: string[]) {
  const { status, stderr } = spawnSync(process.execPath, ["scripts/apply-patches.mjs", ...args], { cwd: folder });
  return { status, stderr: String(stderr) };
}

it("a patch is applied once, however often it is run", () => {
  expect(apply()).toEqual({ status: 0, stderr: "" });
  expect(installed()).toBe(PATCHED);
  expect(apply()).toEqual({ status: 0, stderr: "" });
  expect(installed()).toBe(PATCHED);
  expect(readdirSync(join(folder, "node_modules/thing"))).toEqual(["list.js", "package.json"]);
});

it("a patch with the line ends of Windows is applied too", () => {
  writePatch(PATCH.replaceAll("\n", "\r\n"));
  expect(apply().status).toBe(0);
  expect(installed()).toBe(PATCHED);
});

it("other installations that share the file by a hard link keep the published one", () => {
  linkSync(file, join(folder, "elsewhere.js"));
  apply();
  expect(readFileSync(join(folder, "elsewhere.js"), "utf8")).toBe(PUBLISHED);
});

it("a check fails until the patch is applied, and changes nothing", () => {
  expect(apply("--check")).toMatchObject({ status: 1, stderr: expect.stringContaining('run "npm ci"') });
  expect(installed()).toBe(PUBLISHED);
  apply();
  expect(apply("--check").status).toBe(0);
});

it.each<[string, () => void, RegExp]>([
  ["for another version of the package", () => install("1.2.4", PUBLISHED), /another version: 1\.2\.4 is installed/],
  ["for a package that is not there", () => rmSync(join(folder, "node_modules"), { recursive: true }), /ENOENT/],
  ["whose file was changed", () => install("1.2.3", `${PUBLISHED}more\n`), /list\.js is not the published file/],
  ["of which one hunk is lost", () => writePatch(PATCH.slice(0, PATCH.lastIndexOf("@@ -"))), /is damaged/],
  ["without the full hashes", () => writePatch(PATCH.replace(/^index .*$/m, "index 1234567..89abcde 100644")), /index/],
  ["that changes nothing", () => writePatch(""), /changes no file/],
])("a patch %s fails and leaves the file as it is", (_kind, arrange, message) => {
  arrange();
  expect(apply()).toMatchObject({ status: 1, stderr: expect.stringMatching(message) });
});
