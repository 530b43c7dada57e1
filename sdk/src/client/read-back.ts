import { StopwatchError } from "../error.ts";
import type { Schedule } from "../types.ts";
import type { ApiRequest, Call, CallOptions, Trace } from "./call.ts";

/** The service's clock, epoch ms, before a call began and after it ended. */
export type During = { fromMs: number; toMs: number };

/**
 * A call that moves the schedule at `path`. When a try of it had no answer and the next one is refused, the first may
 * have been carried out: then the schedule is read, and returned if it `isAsked`. Else throws the refusal.
 */
export async function callAndReadBack(
  call: Call,
  request: ApiRequest & { path: string },
  options: CallOptions | undefined,
  { path, isAsked }: { path: string; isAsked: (schedule: Schedule, during: During) => boolean },
): Promise<Schedule> {
  const trace: Trace = {};
  try {
    return await call<Schedule>(request, options, trace);
  } catch (refusal) {
    const { startMs = 0, endMs = 0, isLost } = trace;
    if (!isLost || !(StopwatchError.is(refusal, "CONFLICT") || StopwatchError.is(refusal, "VALIDATION"))) throw refusal;
    const timeoutMs = Math.max(1, endMs - performance.now());
    const reading: Trace = {};
    const schedule = await call<Schedule>({ method: "GET", path }, { ...options, timeoutMs }, reading).catch(
      (error) => {
        throw options?.signal?.aborted ? error : refusal;
      },
    );
    const { serverMs = 0 } = reading;
    // `serverMs` is cut to the second.
    const during = { fromMs: serverMs - (performance.now() - startMs) - 1_000, toMs: serverMs + 1_000 };
    if (isAsked(schedule, during)) return schedule;
    throw refusal;
  }
}
