import { command } from "#scripts/command.ts";
import { BUILD_PAGES } from "#tests/helpers/build-pages.ts";
import { childStep, type Step } from "./child-step.ts";
import { writeDurations } from "./durations.ts";
import { finish } from "./finish.ts";
import { measureMachine, NOTHING_JUDGED, SLOWNESS_MAX } from "./measure-machine.ts";
import { readSeconds } from "./read-seconds.ts";
import { isUnfinished, startTestRun } from "./test-run.ts";
import type { FileResult } from "./verdict.ts";

/** On a slower machine it is no fault that the core takes longer than it may. */
const SLOW = 1.5;

await command<{ seconds?: string; report?: string; once: boolean; durations: boolean }>({
  usage: `Usage: npm test [-- --seconds N] [--report FILE] [--once] [--durations]

Runs the check (format, lint, types, dead code) and the core of the tests: units, integration, what must run alone, and one
journey in a browser. A file that fails is run once more, alone: when it passes then, it is flaky, which is named and counted;
more than three flaky files fail the run. A verdict about what was sent, stored, kept or allowed is not repeated.

First it measures the machine. One that is over ${SLOWNESS_MAX} times slower than a quiet one judges nothing: exit code ${NOTHING_JUDGED}. On a slower
one, waits take longer before they count as lost.

  --seconds N    ends after N seconds (exit code 1, or ${NOTHING_JUDGED} on a slow machine)
  --report FILE  also writes the verdict as JSON
  --once         runs no failed file a second time
  --durations    writes what each file took to tests/gate/durations.json: on a quiet machine

One file or one test: npx vitest run FILE [-t TITLE]. The long tests: npm run test:long -- --help.`,
  options: {
    seconds: { type: "string" },
    report: { type: "string" },
    once: { type: "boolean", default: false },
    durations: { type: "boolean", default: false },
  },
  async run({ seconds, report, once, durations }) {
    const mostS = readSeconds(seconds);
    const slowness = measureMachine();
    console.log(`This machine is ${slowness.toFixed(1)} times slower than a quiet one.`);
    if (slowness > SLOWNESS_MAX) return notFit(slowness);
    process.env.TEST_SLOWNESS = `${Math.max(1, slowness)}`;

    const run = await startTestRun(["unit", "integration", "isolated", "e2e", "alone"]);
    const children = new AbortController();
    let isLate = false;
    const endLate = () => {
      isLate = true;
      children.abort();
      void run.cancel();
    };
    const timer = mostS === undefined ? undefined : setTimeout(endLate, mostS * 1_000 - performance.now());
    process.once("exit", () => children.abort());

    const results: FileResult[] = [];
    const later = async (...projects: string[]) => {
      if (!isLate && !isBroken()) results.push(...(await run.run(projects.flatMap(run.files))));
    };
    const step = async (name: string, ended: Promise<Step>) => {
      const { code, output, seconds: took } = await ended;
      console.log(`\n${name}: ${Math.round(took)} s`);
      if (code !== 0 && !isLate) results.push(failedStep(name, output));
    };
    const isBroken = () => results.some(({ file }) => file.startsWith("("));
    await step("the check", childStep("npm", ["run", "--silent", "check"], children.signal));
    // The build has pauses, and no unit test measures time.
    const build = childStep(process.execPath, BUILD_PAGES, children.signal);
    await later("unit");
    await step("the build of the pages", build);
    await later("integration", "isolated", "e2e");
    await later("alone");
    clearTimeout(timer);
    if (durations) console.log(writeDurations(results).join("\n"));
    if (!isLate) return finish(run, results, { report, mayRepeat: !once && !isBroken() });
    const code = await finish(
      run,
      results.filter((one) => !isUnfinished(one)),
      {
        report,
        mayRepeat: false,
        note: `It was ended after ${seconds} s, unfinished.`,
        filesNotRun: results.filter(isUnfinished).map(({ file }) => ({ file, why: "the time was over" })),
      },
    );
    return code === 0 && slowness > SLOW ? NOTHING_JUDGED : 1;
  },
});

function notFit(slowness: number): number {
  console.log(`This machine is not fit (${slowness.toFixed(1)} ×): nothing was judged.`);
  return NOTHING_JUDGED;
}

function failedStep(name: string, output: string): FileResult {
  const text = output.trimEnd().slice(-1_900);
  const failures = [{ test: name, text }];
  return { file: `(${name})`, project: "", seconds: 0, passed: 0, notRun: 0, failures, notJudged: [], slow: [] };
}
