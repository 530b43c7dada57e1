import { spawnSync } from "node:child_process";
import { runVitest } from "../run-vitest.ts";

const USAGE = `Usage: npm run test:changed [-- options of vitest]

Runs the tests that import, directly or not, a file that changed: since this branch left origin/main (main where there is
no origin), committed or not. Leaves out the long tests.

Imports do not lead to what runs in a process of its own, such as the pages in tests/e2e/: those tests run here only when
they changed themselves.`;

const NOT_COVERED = "Those that start processes, as tests/e2e/ does, are included only if they changed themselves.";

// Options are vitest's, so they are not parsed here.
const options = process.argv.slice(2);
if (options.includes("--help") || options.includes("-h")) console.log(USAGE);
else process.exitCode = await run();

function run(): Promise<number> {
  const base = ["origin/main", "main"].find(isCommit);
  console.log(`Tests of what changed ${base ? `since ${base}` : "since the last commit"}. ${NOT_COVERED}`);
  const changed = base ? ["--changed", base] : ["--changed"];
  return runVitest([...changed, "--project=!long*", "--project=!image", ...options]);
}

function isCommit(name: string): boolean {
  return spawnSync("git", ["rev-parse", "--quiet", "--verify", `${name}^{commit}`]).status === 0;
}
