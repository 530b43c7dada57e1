import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { SetupError } from "../setup-error.ts";
import { assertCommitted } from "./assert-committed.ts";
import { releaseChangelog } from "./changelog.ts";
import { git } from "./git.ts";
import { assertNextVersion } from "./version.ts";

const BRANCH = "main";

export type Release = { tag: string; commit: string; notes: string; files: string; artefacts: string };

/**
 * Makes the commit of a release and packs its artefacts into `out`, in a checkout of its own beside the one in the working
 * folder. Unless `isDry`, it then moves main to the commit and sets the tag. It never pushes. `at` dates the changelog. Throws
 * SetupError when the tree is not that of main, something is not committed, or the version cannot follow.
 */
export async function release(version: string, out: string, at: Date, isDry: boolean): Promise<Release> {
  await assertReady(version);
  const before = await git(".", "rev-parse", "HEAD");
  const folder = await mkdtemp(join(tmpdir(), "stopwatch-release-"));
  const checkout = join(folder, "checkout");
  try {
    await git(".", "worktree", "add", "--quiet", "--detach", checkout, before);
    await symlink(resolve("node_modules"), join(checkout, "node_modules"), "junction");
    const notes = await prepareTree(checkout, version, at);
    // Until tags are there, as in a shallow clone, the previous release is what this commit changes.
    await writeFile(join(checkout, "tests/baseline/commit"), `${before}\n`);
    await runIn(checkout, "api-baseline");
    await git(checkout, "commit", "--quiet", "--all", "--message", `release: version ${version}`);
    const commit = await git(checkout, "rev-parse", "HEAD");
    const files = await git(checkout, "diff", "--stat", before, commit);
    const artefacts = await runIn(checkout, "artefacts", "--out", out);
    const tag = `v${version}`;
    if (!isDry) {
      await git(".", "merge", "--quiet", "--ff-only", commit);
      await git(".", "tag", "--annotate", "--message", `Stopwatch ${version}`, tag, commit);
    }
    return { tag, commit, notes, files, artefacts };
  } finally {
    await git(".", "worktree", "remove", "--force", checkout).catch(() => {});
    await rm(folder, { recursive: true, force: true });
  }
}

async function assertReady(version: string): Promise<void> {
  const branch = await git(".", "branch", "--show-current");
  if (branch !== BRANCH)
    throw new SetupError(`A release is made from ${BRANCH}, and this is ${branch || "no branch"}.`);
  await assertCommitted(".");
  assertNextVersion(version, (await git(".", "tag", "--list", "v*")).split("\n"));
}

/** Runs a command with the code and the version of another checkout. Returns what it prints. */
async function runIn(folder: string, ...args: string[]): Promise<string> {
  try {
    return (
      await promisify(execFile)(process.execPath, ["scripts/run.mjs", ...args], { cwd: folder })
    ).stdout.trimEnd();
  } catch (error) {
    throw new SetupError(`${args[0]}: ${(error as { stderr?: string }).stderr || error}`);
  }
}

/**
 * Puts `version` into the files of the checkout in `folder`: the manifests of the service, the SDK and the command line, the lock file,
 * the changelog, whose notes are returned. Throws SetupError when the changelog has nothing to release.
 */
async function prepareTree(folder: string, version: string, at: Date): Promise<string> {
  const changelog = join(folder, "CHANGELOG.md");
  const { text, notes } = releaseChangelog(await readFile(changelog, "utf8"), version, at);
  await writeFile(changelog, text);
  for (const file of ["package.json", "sdk/package.json", "cli/package.json"]) {
    await edit(join(folder, file), (manifest) => {
      manifest.version = version;
    });
  }
  await edit(join(folder, "package-lock.json"), (lock) => {
    const packages = lock.packages as Record<string, { version: string }>;
    lock.version = version;
    for (const path of ["", "sdk", "cli"]) Object.assign(packages[path] ?? {}, { version });
  });
  return notes;
}

async function edit(file: string, change: (content: Record<string, unknown>) => void): Promise<void> {
  const before = await readFile(file, "utf8");
  const content = JSON.parse(before);
  change(content);
  await writeFile(file, `${JSON.stringify(content, null, 2)}\n`);
}
