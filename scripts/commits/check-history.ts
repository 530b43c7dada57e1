import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { judgeSubject } from "./judge-subject.ts";

/** Commits whose subject is wrong, newest first, or why they could not be checked. */
export type CommitsChecked = { checked: number; offenders: Offender[] } | { notRun: string };

export type Offender = { hash: string; subject: string; faults: string[] };

/** The commit that adds this file begins the check. Moving the file exempts all commits before the move. */
const ADDED_WITH = "scripts/commands/commits.ts";

/**
 * Judges the subjects of the commits of HEAD that the commit that added the check does not contain, without merges.
 * `folder` is the root of a checkout.
 */
export async function checkHistory(folder: string): Promise<CommitsChecked> {
  try {
    const adding = await readLog(folder, "--diff-filter=A", "--format=%H %P", "--", ADDED_WITH);
    if (adding.length === 0) return { notRun: "the history has no commit that adds the check" };
    // The oldest commits of a shallow clone have no parents and seem to add every file.
    const isShallow = (await git(folder, "rev-parse", "--is-shallow-repository")) === "true";
    if (isShallow && adding.some((line) => !line.trim().includes(" "))) {
      return { notRun: "this shallow clone does not have the commit that adds the check" };
    }
    const added = adding.at(-1)?.split(" ")[0];
    const commits = (await readLog(folder, "--no-merges", "--format=%h %s", `${added}..HEAD`)).map(parse);
    return { checked: commits.length, offenders: commits.filter(({ faults }) => faults.length > 0) };
  } catch (error) {
    return { notRun: reasonOf(error) };
  }
}

async function readLog(folder: string, ...args: string[]): Promise<string[]> {
  const text = await git(folder, "-c", "log.showSignature=false", "log", ...args);
  return text === "" ? [] : text.split("\n");
}

async function git(folder: string, ...args: string[]): Promise<string> {
  return (await promisify(execFile)("git", args, { cwd: folder, maxBuffer: 64 * 1024 * 1024 })).stdout.trimEnd();
}

function parse(line: string): Offender {
  const [, hash = "", subject = ""] = line.match(/^(\S+) (.*)$/) ?? [];
  return { hash, subject, faults: judgeSubject(subject) };
}

function reasonOf(error: unknown): string {
  const { code, stderr } = error as { code?: string | number; stderr?: string };
  if (code === "ENOENT") return "git is not installed";
  if (typeof stderr === "string") return stderr.split("\n")[0] ?? "git failed";
  throw error;
}
