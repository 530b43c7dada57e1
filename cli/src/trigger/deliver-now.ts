import { type Stopwatch, StopwatchError } from "../../../sdk/src/index.ts";
import type { Attempt, CreateInput, FireTime, Schedule } from "../../../sdk/src/types.ts";
import { EXIT } from "../errors/exit-codes.ts";
import { Failure } from "../errors/failure.ts";
import { pause } from "../pause.ts";

/** What is sent: a schedule without a time. */
export type TestRequest = Omit<CreateInput, keyof FireTime>;

/** What is sent where nothing else is given. */
export const TEST_PAYLOAD = { payload: '{"test":true}', headers: { "Content-Type": "application/json" } };

type Options = { signal: AbortSignal; say(message: string): void };

/**
 * Sends one delivery now, and returns its schedule and its first attempt. No retry follows: where it failed, it is cancelled.
 * Throws the client's StopwatchError, and a Failure when no attempt is made within a minute.
 */
export async function deliverNow(
  client: Stopwatch,
  request: TestRequest,
  { signal, say }: Options,
): Promise<{ schedule: Schedule; attempt: Attempt }> {
  const { id } = await client.schedules.create({ ...request, fireIn: FIRE_IN } as CreateInput, { signal });
  say(`stopwatch: ${id} is due in ${FIRE_IN}; waiting for its attempt`);
  const schedule = await waitForAttempt(client, id, { signal, say });
  const { items } = await client.schedules.attempts(id, { signal });
  if (schedule.status === "failed" && (await isCancelled(client, id, signal))) {
    say("stopwatch: no retry follows, since a test delivery is sent once");
  }
  return { schedule, attempt: items[0] as Attempt };
}

/** The shortest that the API takes. */
const FIRE_IN = "1s";

/** An attempt has 10 s to connect and 30 s for its answer. */
const ATTEMPT_MS_MAX = 60_000;
const POLL_MS = 250;
const SAY_EVERY_MS = 10_000;

async function waitForAttempt(client: Stopwatch, id: string, { signal, say }: Options): Promise<Schedule> {
  const startedAtMs = performance.now();
  for (let saidMs = 0; ; ) {
    const schedule = await client.schedules.get(id, { signal });
    if (schedule.attempts > 0 && schedule.status !== "firing") return schedule;
    const waitedMs = performance.now() - startedAtMs;
    if (waitedMs > ATTEMPT_MS_MAX) {
      await isCancelled(client, id, signal);
      throw new Failure(`No attempt of ${id} has ended within ${ATTEMPT_MS_MAX / 1_000} s (${schedule.status}).`, {
        exitCode: EXIT.unavailable,
        fix: "`stopwatch doctor` says whether a dispatcher is alive.",
      });
    }
    if (waitedMs - saidMs > SAY_EVERY_MS) {
      saidMs = waitedMs;
      say(`stopwatch: still ${schedule.status} after ${Math.round(waitedMs / 1_000)} s`);
    }
    await pause(POLL_MS, signal);
  }
}

/** Cancels, and returns whether that was still possible. */
async function isCancelled(client: Stopwatch, id: string, signal: AbortSignal): Promise<boolean> {
  try {
    await client.schedules.cancel(id, { signal });
    return true;
  } catch (error) {
    if (StopwatchError.is(error, "CONFLICT")) return false;
    throw error;
  }
}
