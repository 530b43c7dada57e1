import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export type ScratchRepository = {
  folder: string;
  /** Runs git in the folder; its output. */
  git: (...args: string[]) => string;
  /** Writes a file, below the folder. */
  write: (path: string, text: string) => void;
  /** Commits all files, or nothing; the hash. */
  commit: (message: string) => string;
};

/** A git repository in a folder of its own, with one empty commit on main; `remove` with `removeRepositories`. */
export function makeRepository(): ScratchRepository {
  const repository = inFolder(mkdtempSync(join(tmpdir(), "scratch-repository-")));
  repository.git("init", "-q", "-b", "main");
  repository.commit("first: begin");
  return repository;
}

/** A clone of a repository, as `git clone` makes it with these options. */
export function cloneRepository(of: string, ...options: string[]): ScratchRepository {
  const clone = inFolder(mkdtempSync(join(tmpdir(), "scratch-repository-")));
  clone.git("clone", "-q", ...options, `file://${of}`, ".");
  return clone;
}

const folders: string[] = [];

/** For afterEach or afterAll: removes every repository that was made. */
export function removeRepositories() {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

function inFolder(folder: string): ScratchRepository {
  folders.push(folder);
  const git = (...args: string[]) =>
    execFileSync("git", [...AUTHOR, ...args], { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  return {
    folder,
    git,
    write(path, text) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    },
    commit(message) {
      git("add", "-A");
      git("commit", "-q", "--allow-empty", "-m", message);
      return git("rev-parse", "HEAD").trim();
    },
  };
}

const AUTHOR = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgSign=false"];
