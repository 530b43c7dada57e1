import { command } from "#scripts/command.ts";
import { AT_ONCE } from "./at-once.ts";
import { type Chosen, chooseLong, type LongFile, nextTurn, TURNS } from "./choose-long.ts";
import { readDurations, writeDurations } from "./durations.ts";
import { finish } from "./finish.ts";
import { needsOf, readHead } from "./head.ts";
import { readLanding } from "./landing.ts";
import { runLong } from "./long-run.ts";
import { measureMachine } from "./measure-machine.ts";
import { installNeeds } from "./needs.ts";
import { readSeconds } from "./read-seconds.ts";
import { startTestRun } from "./test-run.ts";
import type { FileResult } from "./verdict.ts";

const PROJECTS = Object.keys(AT_ONCE) as (keyof typeof AT_ONCE)[];
/** What remains of the time for second runs of files that failed. */
const REPEAT_SHARE = 0.15;

type Options = { seconds?: string; report?: string; list: boolean; once: boolean; durations: boolean };

await command<Options>({
  usage: `Usage: npm run test:long -- [--seconds N] [--list] [--once] [--report FILE] [--durations]

Runs the long tests (*.long.test.ts): outages, kills, many processes, large tables, every page in a browser. Installs what they
need and npm ci does not bring, where it may.

  --seconds N    spends N seconds: on the files whose turn it is in this landing (every file within ${TURNS}), then on those that
                 changed or guard what changed since the last one (.ci/landing). Names the files that were not run
  --list         prints the files that would run, with the reason and the seconds, and runs none
  --once         runs no failed file a second time
  --report FILE  also writes the verdict as JSON
  --durations    writes what each file took to tests/gate/durations.json: on a quiet machine

One file: npx vitest run FILE.`,
  options: {
    seconds: { type: "string" },
    report: { type: "string" },
    list: { type: "boolean", default: false },
    once: { type: "boolean", default: false },
    durations: { type: "boolean", default: false },
  },
  async run({ seconds, report, list, once, durations }) {
    const budgetS = readSeconds(seconds) ?? Number.POSITIVE_INFINITY;
    const usedS = () => performance.now() / 1_000;
    const slowness = Math.max(1, measureMachine());
    process.env.TEST_SLOWNESS = `${slowness}`;

    const run = await startTestRun(PROJECTS);
    const projects = new Map(PROJECTS.flatMap((project) => run.files(project).map((file) => [file, project] as const)));
    const secondsOf = readDurations();
    const files = [...projects.keys()].map((file) => ({
      file,
      guards: readHead(file).guards,
      seconds: secondsOf(file),
    }));
    const { landing, chosen } = choose(files, seconds !== undefined);
    const sum = chosen.reduce((total, one) => total + one.seconds, 0);
    console.log(`${chosen.length} of ${files.length} long files, of ${sum} s one after the other on a quiet machine`);
    if (list) {
      for (const one of chosen) console.log(`${one.reason}\t${one.seconds}\t${one.file}`);
      await run.close();
      return 0;
    }

    const { results, left } = await runLong(chosen, {
      projectOf: (file) => projects.get(file) as keyof typeof AT_ONCE,
      async run(batch) {
        await installNeeds(needsOf(batch));
        return run.run(batch);
      },
      cancel: () => void run.cancel(),
      usedS,
      budgetS: budgetS * (1 - REPEAT_SHARE),
      slowness,
    });
    const filesNotRun = left.map(({ file, reason }) => ({
      file,
      why: `no time was left (${reason}); its turn is landing ${nextTurn(files, file, landing)}`,
    }));
    if (durations) console.log(writeDurations(results).join("\n"));
    return finish(run, results, {
      report,
      mayRepeat: !once,
      leftS: budgetS - usedS(),
      filesNotRun,
      note: slowest(results),
    });
  },
});

/** Without a budget, all; with one, those of this landing. */
function choose(files: readonly LongFile[], hasBudget: boolean): { landing: number; chosen: Chosen[] } {
  const { number, changed, sources } = readLanding();
  const all = () => files.map((one) => ({ ...one, reason: "guarded" as const }));
  return { landing: number, chosen: hasBudget ? chooseLong(files, { changed, sources, landing: number }) : all() };
}

function slowest(results: readonly FileResult[]): string {
  const ten = results.toSorted((a, b) => b.seconds - a.seconds).slice(0, 10);
  return ["The slowest:", ...ten.map(({ file, seconds }) => `  ${Math.round(seconds)} s ${file}`)].join("\n");
}
