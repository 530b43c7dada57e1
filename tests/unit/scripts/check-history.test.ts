import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { checkHistory } from "#scripts/commits/check-history.ts";
import { cloneRepository, makeRepository, removeRepositories } from "#tests/helpers/scratch-repository.ts";
import { runScript } from "../../integration/scripts/script-process.ts";

afterEach(removeRepositories);

/** A repository in which the second commit adds the check. */
function withCheck() {
  const repository = makeRepository();
  repository.commit("a subject from before the check");
  repository.write("scripts/commands/commits.ts", "");
  repository.commit("commits: check their subjects");
  return repository;
}

it("commits after the one that adds the check are judged, those before are not", async () => {
  const { commit, folder } = withCheck();
  commit("docs: name the port");
  const hash = commit("x");
  const result = await checkHistory(folder);
  expect(result).toMatchObject({ checked: 2, offenders: [{ subject: "x" }] });
  if ("offenders" in result) expect(hash.startsWith(result.offenders[0]?.hash ?? "none")).toBe(true);
});

it("the check still begins where it was added when its file is changed later", async () => {
  const { commit, write, folder } = withCheck();
  commit("wip");
  write("scripts/commands/commits.ts", "changed");
  commit("commits: say more");
  expect(await checkHistory(folder)).toMatchObject({ checked: 2, offenders: [{ subject: "wip" }] });
});

it("the commits of a merged branch are judged, the merge commit is not", async () => {
  const { commit, git, folder } = withCheck();
  git("switch", "-q", "-c", "branch");
  commit("on the branch");
  git("switch", "-q", "main");
  commit("docs: name the port");
  git("merge", "-q", "--no-ff", "-m", "Merge pull request #7", "branch");
  expect(await checkHistory(folder)).toMatchObject({ checked: 2, offenders: [{ subject: "on the branch" }] });
});

it("a history that is rebased onto another one is judged from the same change on", async () => {
  const { commit, git, folder } = withCheck();
  commit("docs: name the port");
  git("switch", "-q", "-c", "other", "main~3");
  commit("also from before the check");
  git("switch", "-q", "main");
  git("rebase", "-q", "--empty=keep", "--keep-empty", "other");
  expect(await checkHistory(folder)).toEqual({ checked: 1, offenders: [] });
});

it("a shallow clone is judged when it has the commit that adds the check, and says so when it has not", async () => {
  const { commit, folder } = withCheck();
  commit("docs: name the port");
  commit("x");
  expect(await checkHistory(cloneRepository(folder, "--depth=4").folder)).toMatchObject({ checked: 2 });
  expect(await checkHistory(cloneRepository(folder, "--depth=3").folder)).toEqual({
    notRun: "this shallow clone does not have the commit that adds the check",
  });
});

it("a history without the check, and a folder without a history, are not judged", async () => {
  expect(await checkHistory(makeRepository().folder)).toEqual({
    notRun: "the history has no commit that adds the check",
  });
  const packed = mkdtempSync(join(tmpdir(), "packed-"));
  expect(await checkHistory(packed)).toEqual({ notRun: expect.stringContaining("not a git repository") });
  rmSync(packed, { recursive: true });
});

it("without git the command says that it was not run, and exits with 0", async () => {
  const { stdout, exited } = runScript("commits", [], { PATH: "" });
  expect(await exited).toBe(0);
  expect(stdout).toEqual(["Commit subjects: not run: git is not installed."]);
});
