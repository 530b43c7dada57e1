import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const COMMIT_FILE = new URL("../baseline/commit", import.meta.url);

/** The previous release. `missing` says why its sources cannot be had; undefined when they can. */
export type PreviousRelease = { commit: string; missing: string | undefined };

/**
 * Finds the previous release: the newest tag `v*` among the ancestors of this checkout, and as long as there is none, the
 * commit that `tests/baseline/commit` names.
 */
export function findPreviousRelease(): PreviousRelease {
  const named = readFileSync(COMMIT_FILE, "utf8").trim();
  if (!existsSync(join(ROOT, ".git"))) return { commit: named, missing: "this is no Git checkout" };
  const tags = git("tag", "--list", "v*", "--merged", "HEAD", "--no-contains", "HEAD", "--sort=-version:refname") ?? "";
  const commit = tags.split("\n").find((tag) => /^v\d+\.\d+\.\d+$/.test(tag)) ?? named;
  const isHere = git("cat-file", "-e", `${commit}^{commit}`) !== undefined;
  return { commit, missing: isHere ? undefined : `this checkout does not have the commit ${commit}` };
}

/**
 * Puts the sources of `commit` into a folder of their own, with their packages: links to those of this checkout where the lock
 * files and the patches are equal, otherwise installed. Returns the folder and what removes it.
 */
export async function checkOutPreviousRelease(commit: string): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "stopwatch-previous-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const archive = execFileSync("git", ["archive", "--format=tar", commit], {
      cwd: ROOT,
      maxBuffer: ARCHIVE_BYTES_MAX,
    });
    execFileSync("tar", ["-x", "-C", folder], { input: archive });
    if (!hasSamePackages(commit) || !linkPackages(folder))
      execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: folder, stdio: "pipe" });
    return { folder, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

const ARCHIVE_BYTES_MAX = 256 * 1024 * 1024;

function hasSamePackages(commit: string): boolean {
  return git("diff", "--quiet", commit, "--", "package-lock.json", "patches") !== undefined;
}

/** False where files cannot be linked, as between two file systems. */
function linkPackages(folder: string): boolean {
  try {
    execFileSync("cp", ["-al", join(ROOT, "node_modules"), join(folder, "node_modules")], { stdio: "pipe" });
    return true;
  } catch {
    return false;
  }
}

/** What git prints; undefined when it fails. */
function git(...args: string[]): string | undefined {
  try {
    return execFileSync("git", args, { cwd: ROOT, encoding: "utf8", stdio: "pipe" });
  } catch {
    return undefined;
  }
}
