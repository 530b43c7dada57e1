import { OPERATION_IDS_MAX } from "../../../domain/operations.ts";
import { type Stopwatch, StopwatchError } from "../../../sdk/src/index.ts";

/** A schedule that was not cancelled, and what it is instead. */
export type LeftSchedule = { id: string; why: string };

/**
 * Cancels these schedules, by operations. Returns those that were not cancelled, such as one that was delivered since.
 * `onProgress` gets how many have been processed.
 */
export async function cancelExported(
  { schedules, operations }: Stopwatch,
  ids: readonly string[],
  { signal, onProgress }: { signal: AbortSignal; onProgress(count: number): void },
): Promise<LeftSchedule[]> {
  /** What a schedule is that the operation did not cancel; undefined when it was cancelled. */
  const whyLeft = async (id: string) => {
    try {
      const { status } = await schedules.get(id, { signal });
      return status === "cancelled" ? undefined : status;
    } catch (error) {
      if (StopwatchError.is(error, "NOT_FOUND")) return "not there any more";
      throw error;
    }
  };
  const left: LeftSchedule[] = [];
  for (let at = 0; at < ids.length; at += OPERATION_IDS_MAX) {
    const some = ids.slice(at, at + OPERATION_IDS_MAX);
    const { id: operation } = await operations.start({ action: "cancel", schedules: some }, { signal });
    const { acted } = await operations.wait(operation, { signal, timeoutMs: OPERATION_MS_MAX });
    // The operation says how many were left alone, not which.
    let missing = some.length - acted;
    for (const id of some) {
      if (missing === 0) break;
      const why = await whyLeft(id);
      if (why === undefined) continue;
      left.push({ id, why });
      missing--;
    }
    onProgress(at + some.length);
  }
  return left;
}

/** An operation of the largest size takes seconds; this is for one that waits behind others. */
const OPERATION_MS_MAX = 600_000;
