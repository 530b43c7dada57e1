import { AT_ONCE } from "./at-once.ts";
import type { Chosen } from "./choose-long.ts";
import { isUnfinished } from "./test-run.ts";
import type { FileResult } from "./verdict.ts";

/** The part of the time that is for this landing's turn. Otherwise large changes would never let it come. */
const TURN_SHARE = 0.4;

/** A file that takes so many times longer than when it was measured does not end at all: that is red. */
const HUNG = 6;

type Options = {
  projectOf: (file: string) => keyof typeof AT_ONCE;
  run: (files: readonly string[]) => Promise<FileResult[]>;
  /** Ends the files that run. */
  cancel: () => void;
  /** Seconds since the run began. */
  usedS: () => number;
  budgetS: number;
  slowness: number;
};

/**
 * Runs the chosen files in their order, in batches of one project, as long as the budget lasts: a batch has the next files that
 * will have ended in time, as far as their durations tell. Returns the results, and the files for which no time was left.
 */
export async function runLong(
  chosen: readonly Chosen[],
  { projectOf, run, cancel, usedS, budgetS, slowness }: Options,
): Promise<{ results: FileResult[]; left: Chosen[] }> {
  const results: FileResult[] = [];
  const left: Chosen[] = [];
  let queue = [...chosen];
  while (queue.length > 0) {
    const first = queue[0] as Chosen;
    const limitS = first.reason === "turn" ? budgetS * TURN_SHARE : budgetS;
    const workers = AT_ONCE[projectOf(first.file)];
    const candidates = queue.filter(
      ({ file, reason }) =>
        projectOf(file) === projectOf(first.file) && (reason === "turn") === (first.reason === "turn"),
    );
    const batch: Chosen[] = [];
    for (const one of candidates) {
      if (batch.length === 2 * workers) break;
      if (usedS() + batchSeconds([...batch, one], workers) * slowness <= limitS) batch.push(one);
    }
    if (batch.length === 0) {
      left.push(...candidates);
      queue = queue.filter((one) => !candidates.includes(one));
      continue;
    }
    queue = queue.filter((one) => !batch.includes(one));
    const timer = budgetS === Number.POSITIVE_INFINITY ? undefined : setTimeout(cancel, (budgetS - usedS()) * 1_000);
    for (const result of await run(batch.map(({ file }) => file))) {
      const one = batch.find(({ file }) => file === result.file) as Chosen;
      const isHung = result.seconds > HUNG * slowness * one.seconds;
      if (isUnfinished(result) && !isHung) left.push(one);
      else results.push(result);
    }
    clearTimeout(timer);
  }
  return { results, left };
}

/** About how long files take that run `workers` at once, s. */
function batchSeconds(files: readonly Chosen[], workers: number): number {
  const seconds = files.map((one) => one.seconds);
  return Math.max(...seconds, seconds.reduce((sum, one) => sum + one, 0) / workers);
}
