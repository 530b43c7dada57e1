import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, matchesGlob } from "node:path";
import { closingLines } from "./closing.ts";
import { isLong, needsOf, testFiles } from "./head.ts";
import { readLanding } from "./landing.ts";
import { NOTHING_JUDGED } from "./measure-machine.ts";
import { installNeeds } from "./needs.ts";
import { isGreen, type Verdict } from "./verdict.ts";

// What .ci/run does after npm ci. It prints the verdicts of its steps together, and how long each took.

/** Seconds. `core` is what npm test may take: on a machine that is not slow, a core that takes longer is red. */
const LIMITS = { all: 1_440, core: 1_200, postgres: 200, longMin: 90 };

/** What a step may take to end, s. */
const END_S = 30;

const usedS = () => Number(process.env.CI_USED_S ?? 0) + performance.now() / 1_000;
const leftS = () => LIMITS.all - usedS();
const reports = mkdtempSync(join(tmpdir(), "stopwatch-ci-"));
const took: string[] = [`npm ci ${clock(usedS())}`];
const verdicts: Verdict[] = [];
let code = 0;

// Where they are missing, as on most users' machines, the tests that need them are skipped.
await installNeeds(needsOf(testFiles().filter((file) => !isLong(file))));
const coreS = Math.min(LIMITS.core, Math.round(leftS()));
await step("npm test", coreS + END_S, ["test", "--", "--seconds", `${coreS}`]);

const { number, changed } = readLanding();
const major = `${15 + (number % 3)}`;
const isOnDatabase = changed.some((file) =>
  ["db/**", "dispatcher/**", "scripts/postgres/**"].some((glob) => matchesGlob(file, glob)),
);
const seconds = Math.round(leftS() - (isOnDatabase ? LIMITS.postgres : 0));
if (code !== 0) console.log("\nRed before: no long test was run.");
else if (seconds < LIMITS.longMin) console.log("\nNo time was left for long tests.");
else await step("npm run test:long", seconds + END_S, ["run", "test:long", "--", "--seconds", `${seconds}`]);

if (isOnDatabase && code === 0 && leftS() < LIMITS.postgres / 2)
  console.log(`\nNo time was left for PostgreSQL ${major}.`);
else if (isOnDatabase && code === 0)
  await step(`PostgreSQL ${major}`, leftS(), ["run", "test:postgres", "--", major, "--core"]);

rmSync(reports, { recursive: true, force: true });
console.log(`\nDurations, minutes:\n${took.join("\n")}\nin all ${clock(usedS())}\n`);
console.log(closingLines(verdicts).join("\n"));
process.exitCode = code === 0 && !isGreen(verdicts) ? 1 : code;

/**
 * Runs npm, for at most so many seconds, and takes its verdict. The first failure is the exit code of the whole. A step
 * that fails without a verdict is red itself.
 */
async function step(name: string, mostS: number, args: readonly string[]): Promise<void> {
  const file = join(reports, `${took.length}.json`);
  console.log(`\n== ${name}`);
  const fromS = usedS();
  const child = spawn("npm", [...args, "--report", file], { stdio: ["ignore", "inherit", "inherit"], detached: true });
  const end = setTimeout(() => {
    console.log(`\n${name} was ended after ${Math.round(mostS)} s.`);
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  }, mostS * 1_000);
  const [ended] = await once(child, "exit");
  clearTimeout(end);
  if (code === 0) code = ended ?? 1;
  if (existsSync(file)) verdicts.push(JSON.parse(readFileSync(file, "utf8")));
  else if (code !== NOTHING_JUDGED) verdicts.push(withoutVerdict(name));
  took.push(`${name} ${clock(usedS() - fromS)}`);
}

function withoutVerdict(name: string): Verdict {
  const failures = [{ test: name, text: "It ended without a verdict: see what it printed." }];
  const red = [{ file: `(${name})`, why: "without a verdict", failures }];
  return { passed: 0, notRun: 0, failed: 1, red, flaky: [], filesNotRun: [], notJudged: [], slow: [] };
}

function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}
