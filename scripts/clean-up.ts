/**
 * Runs `work`, and then every step of the clean-up, whatever becomes of the one before. When `work` fails, its error is thrown:
 * that of a step may only follow from it, and is printed. Otherwise the first error of a step is thrown.
 */
export async function withCleanUp<T>(work: () => Promise<T>, steps: readonly CleanUpStep[]): Promise<T> {
  let result: T;
  try {
    result = await work();
  } catch (error) {
    await afterFailure(...steps);
    throw error;
  }
  const failures = await runAll(steps);
  if (failures.length > 0) throw failures[0];
  return result;
}

/** Runs every step of the clean-up after a failure, which the caller throws. The error of a step is printed. */
export async function afterFailure(...steps: readonly CleanUpStep[]): Promise<void> {
  for (const failure of await runAll(steps))
    console.error(`Cleaning up failed, too: ${failure instanceof Error ? failure.message : String(failure)}`);
}

export type CleanUpStep = () => unknown;

async function runAll(steps: readonly CleanUpStep[]): Promise<unknown[]> {
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  return failures;
}
