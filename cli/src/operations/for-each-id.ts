import { StopwatchError } from "../../../sdk/src/index.ts";
import type { Context } from "../context.ts";
import { describeError, exitCodeOf } from "../errors/describe-error.ts";
import { EXIT } from "../errors/exit-codes.ts";

/** How many calls are under way at once. */
const AT_ONCE = 4;

/**
 * Does something with each id, a few at once, and prints the results in the order of the ids. A refusal of one is a message
 * and leaves the others alone; what would meet the others too (no right, no answer) ends it. Returns the exit code: that of
 * the refusals when all were refused alike, 1 when only some were.
 */
export async function forEachId<T>(
  { say, signal }: Context,
  ids: readonly string[],
  act: (id: string) => Promise<T>,
  print: (result: T) => void,
): Promise<number> {
  const refused: number[] = [];
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const batch = ids.slice(at, at + AT_ONCE);
    const results = await Promise.allSettled(batch.map(act));
    for (const [index, result] of results.entries()) {
      if (result.status === "fulfilled") print(result.value);
      else if (ids.length > 1 && isOfOne(result.reason)) {
        const { text, exitCode } = describeError(result.reason);
        say(text.replace("stopwatch: ", `stopwatch: ${batch[index]}: `));
        refused.push(exitCode);
      }
    }
    // Thrown here, so that what was done is printed.
    for (const result of results) {
      if (result.status === "rejected" && (ids.length === 1 || !isOfOne(result.reason))) throw result.reason;
    }
    signal.throwIfAborted();
  }
  if (refused.length === 0) return EXIT.done;
  const isAlike = refused.length === ids.length && new Set(refused).size === 1;
  return isAlike ? (refused[0] as number) : EXIT.partly;
}

function isOfOne(error: unknown): boolean {
  if (!StopwatchError.is(error)) return false;
  const code = exitCodeOf(error);
  return code === EXIT.state || code === EXIT.usage || error.code === "PAYLOAD_TOO_LARGE";
}
