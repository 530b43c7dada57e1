import { writeFileSync } from "node:fs";
import { closingLines } from "./closing.ts";
import { repeatFailed } from "./repeat-failed.ts";
import type { startTestRun } from "./test-run.ts";
import { type FileResult, isGreen, judge, type Verdict } from "./verdict.ts";

const EXIT_MS = 1_000;

type Options = {
  /** Also writes the verdict there, as JSON. */
  report?: string;
  /** Whether failed files may be run once more; as long as `leftS` seconds last. */
  mayRepeat: boolean;
  leftS?: number;
  filesNotRun?: Verdict["filesNotRun"];
  /** Printed above the closing lines. */
  note?: string;
};

/**
 * Ends a run of tests: runs failed files once more, closes Vitest and prints the closing lines. Returns the exit code: 0, or 1 when
 * something is red. The process ends soon after, whatever still runs in it.
 */
export async function finish(
  run: Awaited<ReturnType<typeof startTestRun>>,
  results: readonly FileResult[],
  { report, mayRepeat, leftS, filesNotRun, note }: Options,
): Promise<number> {
  const again = mayRepeat ? await repeatFailed(run, results, leftS) : new Map<string, FileResult>();
  await run.close();
  const verdict = judge(results, again, filesNotRun);
  if (report) writeFileSync(report, JSON.stringify(verdict, null, 1));
  setTimeout(() => process.exit(), EXIT_MS).unref();
  console.log(`\n${note ? `${note}\n` : ""}in ${Math.round(performance.now() / 1_000)} s`);
  console.log(closingLines([verdict]).join("\n"));
  return isGreen([verdict]) ? 0 : 1;
}
