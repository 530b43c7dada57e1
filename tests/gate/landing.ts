import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Has the number of the landing that is being made and the commit that it begins after: `54 a9c55b77…`. */
const FILE = ".ci/landing";

export type Landing = {
  number: number;
  /** Files that changed since the last landing, committed or not. */
  changed: string[];
  /** All files of the project. */
  sources: string[];
};

/**
 * What is to land: CI_LANDING and CI_BASE where CI knows them, else `.ci/landing`, which `npm run landing` writes when a new
 * landing is begun. Without a base that is in the history, everything counts as changed.
 */
export function readLanding(): Landing {
  const [number = "0", recorded = ""] = readFileSync(FILE, "utf8").trim().split(" ");
  const sources = git("ls-files");
  const base = [process.env.CI_BASE, recorded].find(isAncestor);
  const changed = base === undefined ? sources : git("diff", "--name-only", base);
  return { number: Number(process.env.CI_LANDING ?? number), changed, sources };
}

const git = (...args: string[]) => execFileSync("git", args, { encoding: "utf8" }).split("\n").filter(Boolean);

function isAncestor(commit: string | undefined): commit is string {
  return !!commit && spawnSync("git", ["merge-base", "--is-ancestor", commit, "HEAD"]).status === 0;
}
