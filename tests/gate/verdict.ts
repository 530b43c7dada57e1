/** What came of a test file in one run. */
export type FileResult = {
  file: string;
  project: string;
  seconds: number;
  passed: number;
  /** Skipped tests, those without a verdict included. */
  notRun: number;
  failures: Failure[];
  /** Tests that came to no verdict because the machine stalled, with the reason. */
  notJudged: string[];
  /** Waits that took longer than expected. */
  slow: string[];
};

/** `test` is the full title of the test, or says which part of the file failed. */
export type Failure = { test: string; text: string };

/** A file that failed, and passed when it was run once more, alone. */
export type Flaky = { file: string; seconds: number; first: Failure[] };

/** What a run says of a change. */
export type Verdict = {
  passed: number;
  notRun: number;
  failed: number;
  red: { file: string; why: string; failures: Failure[] }[];
  flaky: Flaky[];
  /** Long files for which no time was left, with the reason. */
  filesNotRun: { file: string; why: string }[];
  notJudged: string[];
  slow: string[];
};

/** More flaky files than this in one run are a fault, too. */
export const FLAKY_MAX = 3;

/** A test that did not come to its verdict: it waited in vain, or its preparation came too late. */
const NO_VERDICT =
  /waited \d+ ms in vain|timed out in \d+ ?ms|Timeout \d+ms exceeded|expected outcome "created", got \{"outcome":"past"|ENOTEMPTY|Worker .* emitted error/;

/**
 * Whether a failed file may be run once more. Not when its verdict is final (what was sent, stored, kept or allowed; every unit
 * test), unless each of its failures is one that came to no verdict.
 */
export function mayRepeat({ file, failures }: FileResult, isFinal: boolean): boolean {
  const stands = isFinal || file.startsWith("tests/unit/");
  return !stands || failures.every(({ text }) => NO_VERDICT.test(text));
}

/** Adds up results and second runs. `again` has the second result of each file that was run once more. */
export function judge(
  results: readonly FileResult[],
  again: ReadonlyMap<string, FileResult>,
  filesNotRun: Verdict["filesNotRun"] = [],
): Verdict {
  const verdict: Verdict = {
    passed: 0,
    notRun: 0,
    failed: 0,
    red: [],
    flaky: [],
    filesNotRun,
    notJudged: results.flatMap(({ notJudged }) => notJudged),
    slow: results.flatMap(({ slow }) => slow),
  };
  for (const first of results) {
    const second = again.get(first.file);
    const last = second ?? first;
    verdict.passed += last.passed;
    verdict.notRun += last.notRun;
    if (first.failures.length === 0) continue;
    if (last.failures.length > 0) {
      verdict.failed += last.failures.length;
      verdict.red.push({ file: first.file, why: second ? "twice" : "once, not run again", failures: last.failures });
    } else verdict.flaky.push({ file: first.file, seconds: last.seconds, first: first.failures });
  }
  return verdict;
}

/** Whether a change may land with these verdicts together. */
export function isGreen(verdicts: readonly Verdict[]): boolean {
  const flaky = verdicts.reduce((sum, one) => sum + one.flaky.length, 0);
  return flaky <= FLAKY_MAX && verdicts.every(({ failed }) => failed === 0);
}
