// Guards: scripts/release/**, scripts/packages/**, scripts/commands/release.ts, scripts/commands/artefacts.ts, scripts/sbom/**
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { extract } from "tar-stream";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { makeRepository, removeRepositories, type ScratchRepository } from "#tests/helpers/scratch-repository.ts";
import { runNode } from "../../integration/scripts/script-process.ts";

let repository: ScratchRepository;
let start: string;
let out: string;

beforeAll(() => {
  repository = makeRepository();
  // All files of this checkout, committed or not, but those that are ignored.
  repository.git("--work-tree", process.cwd(), "add", "-A");
  repository.git("commit", "-q", "-m", "first: copy the sources");
  repository.git("reset", "-q", "--hard");
  // The command makes commits itself.
  repository.git("config", "user.name", "Test");
  repository.git("config", "user.email", "test@example.com");
  repository.write("CHANGELOG.md", "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- The first thing.\n");
  start = repository.commit("changelog: begin");
  symlinkSync(resolve("node_modules"), join(repository.folder, "node_modules"), "junction");
});
afterAll(removeRepositories);

beforeEach(() => {
  out = mkdtempSync(join(tmpdir(), "release-out-"));
  repository.git("switch", "-q", "main");
  repository.git("reset", "-q", "--hard", start);
  if (repository.git("tag") !== "") repository.git("tag", "--delete", "v7.0.0");
  return () => rmSync(out, { recursive: true, force: true });
});

/** Runs a command of the scratch repository. */
async function run(...args: string[]) {
  const { stdout, stderr, exited } = runNode([join(repository.folder, "scripts/run.mjs"), ...args]);
  const code = await exited;
  return { code, output: stdout.join("\n"), errors: stderr.join("\n") };
}

/** The lines of SHA256SUMS, each of which is right. */
function sums(folder = out) {
  const lines = readFileSync(join(folder, "SHA256SUMS"), "utf8").trim().split("\n");
  for (const [hash, name = ""] of lines.map((line) => line.split("  "))) {
    expect(
      createHash("sha256")
        .update(readFileSync(join(folder, name)))
        .digest("hex"),
    ).toBe(hash);
  }
  return lines;
}

async function readSource(name: string): Promise<Map<string, string>> {
  const entries = extract();
  entries.end(gunzipSync(readFileSync(join(out, name))));
  const files = new Map<string, string>();
  for await (const entry of entries) {
    files.set(entry.header.name, await text(entry));
  }
  return files;
}

it("a dry run packs what a release would have, and changes neither the tree, nor main, nor the tags", async () => {
  const { code, output } = await run("release", "--dry-run", "--version", "7.0.0", "--out", out);
  expect(code).toBe(0);
  expect(output).toContain("- The first thing.");
  expect(output).toContain("Nothing is released");
  expect(
    sums().map((line) => line.replace(/^[0-9a-f]{64} {2}/, "").replace(/-b[0-9a-f]{12}\.tgz$/, "-b….tgz")),
  ).toEqual(
    expect.arrayContaining([
      "stopwatch-7.0.0.tar.gz",
      "stopwatch-cli-7.0.0-b….tgz",
      "stopwatch-sdk-7.0.0-b….tgz",
      "stopwatch-7.0.0.cdx.json",
      "stopwatch-7.0.0.openapi.json",
    ]),
  );
  for (const line of sums()) expect(output).toContain(line.split(" ")[0]);
  expect(repository.git("rev-parse", "HEAD").trim()).toBe(start);
  expect(repository.git("status", "--porcelain")).toBe("");
  expect(repository.git("tag")).toBe("");
  expect(repository.git("worktree", "list").trim().split("\n")).toHaveLength(1);
});

it("a release is a commit and a tag on main, and nothing is pushed", async () => {
  const { code, output } = await run("release", "--version", "7.0.0", "--out", out);
  expect(code).toBe(0);
  expect(output).toContain("git push --atomic origin main v7.0.0");
  const { folder, git } = repository;
  expect(git("log", "--format=%s", `${start}..main`).trim()).toBe("release: version 7.0.0");
  expect(git("rev-parse", "v7.0.0^{commit}")).toBe(git("rev-parse", "main"));
  expect(git("status", "--porcelain")).toBe("");

  const read = (file: string) => readFileSync(join(folder, file), "utf8");
  expect(read("CHANGELOG.md")).toMatch(/## \[Unreleased\]\n\n## \[7\.0\.0\] - \d{4}-\d\d-\d\d\n\n### Added/);
  for (const file of ["package.json", "sdk/package.json", "cli/package.json"])
    expect(JSON.parse(read(file)).version).toBe("7.0.0");
  const { version, packages } = JSON.parse(read("package-lock.json"));
  expect([version, packages[""], packages.sdk, packages.cli].map((it) => it.version ?? it)).toEqual(
    Array(4).fill("7.0.0"),
  );
  expect(JSON.parse(read("tests/baseline/openapi.json")).info.version).toBe("7.0.0");
  expect(read("tests/baseline/commit").trim()).toBe(start);
  const source = await readSource("stopwatch-7.0.0.tar.gz");
  expect(JSON.parse(source.get("stopwatch-7.0.0/package.json") ?? "").version).toBe("7.0.0");
});

it("whoever checks out the commit of a release can make its artefacts again, byte for byte", async () => {
  await run("release", "--version", "7.0.0", "--out", out);
  const again = join(out, "again");
  expect(await run("artefacts", "--out", again)).toMatchObject({ code: 0 });
  expect(sums(again)).toEqual(sums());
});

it.each([
  [
    "from another branch",
    () => repository.git("switch", "-q", "-C", "other"),
    "A release is made from main, and this is other.",
  ],
  ["with changes that are not committed", () => repository.write("README.md", "changed"), "These are not committed:"],
  ["of a version that is released", () => repository.git("tag", "v7.0.0"), "v7.0.0 is released."],
])("no release is made %s", async (_, prepare, message) => {
  prepare();
  const { code, errors } = await run("release", "--dry-run", "--version", "7.0.0", "--out", out);
  expect(code).toBe(1);
  expect(errors).toContain(message);
  expect(existsSync(out) && readdirSync(out)).toEqual([]);
});
