import { execFileSync, spawnSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { UsageError } from "#scripts/command.ts";

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
 * landing is begun. Without a base that is in the history, or without a history, everything counts as changed.
 */
export function readLanding(): Landing {
  const [number = "0", recorded = ""] = readFileSync(FILE, "utf8").trim().split(" ");
  const sources = listSources();
  const base = [process.env.CI_BASE, recorded].find(isAncestor);
  const changed = base === undefined ? sources : git("diff", "--name-only", base);
  return { number: Number(process.env.CI_LANDING ?? number), changed, sources };
}

/** Begins the next landing after the commit `base`. Returns the line that it wrote. Throws UsageError. */
export function beginLanding(base: string): string {
  const [number] = readFileSync(FILE, "utf8").split(" ");
  if (!isAncestor(base)) throw new UsageError(`'${base}' is no commit of this branch.`);
  const [commit] = git("rev-parse", `${base}^{commit}`);
  const line = `${Number(number) + 1} ${commit}`;
  writeFileSync(FILE, `${line}\n`);
  return line;
}

function listSources(): string[] {
  try {
    return git("ls-files");
  } catch {
    return globSync("**/*.*", { exclude: ["**/node_modules/**"] });
  }
}

const git = (...args: string[]) =>
  execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
    .split("\n")
    .filter(Boolean);

function isAncestor(commit: string | undefined): commit is string {
  return (
    !!commit && spawnSync("git", ["merge-base", "--is-ancestor", commit, "HEAD"], { stdio: "ignore" }).status === 0
  );
}
