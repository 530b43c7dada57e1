import { readHead } from "./head.ts";
import { isUnfinished, type startTestRun } from "./test-run.ts";
import { type FileResult, FLAKY_MAX, mayRepeat } from "./verdict.ts";

/**
 * Runs each failed file once more, alone, where that may be and as long as `leftS` seconds last. Returns the second results.
 * More failed files than may be flaky are red in any case, so none of them is run again.
 */
export async function repeatFailed(
  run: Awaited<ReturnType<typeof startTestRun>>,
  results: readonly FileResult[],
  leftS = Number.POSITIVE_INFINITY,
): Promise<Map<string, FileResult>> {
  const failed = results.filter(({ failures }) => failures.length > 0);
  const again = new Map<string, FileResult>();
  if (failed.length > FLAKY_MAX) return again;
  const endS = performance.now() / 1_000 + leftS;
  const timer = leftS === Number.POSITIVE_INFINITY ? undefined : setTimeout(() => void run.cancel(), leftS * 1_000);
  for (const first of failed) {
    if (!mayRepeat(first, readHead(first.file).isFinal)) continue;
    if (performance.now() / 1_000 + first.seconds > endS) continue;
    console.log(`\n${first.file} failed: once more, alone`);
    const [second] = await run.run([first.file]);
    // One that the time ended says nothing: then the first result stands.
    if (second && !isUnfinished(second)) again.set(first.file, second);
  }
  clearTimeout(timer);
  return again;
}
