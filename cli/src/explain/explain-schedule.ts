import type { Attempts, Schedule } from "../../../sdk/src/types.ts";
import { explainAttempt } from "./explain-attempt.ts";
import { explainNext } from "./explain-next.ts";
import { instantWriter, quoteStranger, relative } from "./words.ts";

export type ExplainOptions = {
  /** The IANA zone of the times. UTC unless given. */
  zone?: string | undefined;
  /** Writes what the target answered, which is text of a stranger. By default in “…”, on one line, cut to 200 characters. */
  quote?: ((text: string) => string) | undefined;
};

/**
 * Says in words what became of a schedule: where each millisecond went, what the target said, and what happens next.
 * `nowMs` is the service's time, epoch ms. Returns lines without their ends; those about an attempt are indented.
 */
export function explainSchedule(
  schedule: Schedule,
  attempts: Attempts,
  nowMs: number,
  { zone = "UTC", quote = quoteStranger }: ExplainOptions = {},
): string[] {
  const at = instantWriter(zone);
  return [
    `${schedule.id} (${schedule.method} ${schedule.target_url}) ${STATES[schedule.status]}.`,
    ...originLines(schedule),
    `It was created at ${at(schedule.created_at)}, and due at ${at(schedule.fire_at)} (${relative(schedule.fire_at, nowMs)}).`,
    ...lostLines(schedule, attempts),
    ...attempts.items.flatMap((attempt) => explainAttempt(attempt, { schedule, at, quote })),
    ...explainNext({ schedule, attempts: attempts.items, nowMs, at }),
  ];
}

const STATES = {
  scheduled: "is waiting for its time",
  firing: "is being attempted now",
  succeeded: "was delivered",
  failed: "has failed so far, and will be tried again",
  dead: "is dead: it was not delivered, and nothing more is sent by itself",
  cancelled: "was cancelled",
} as const satisfies Record<Schedule["status"], string>;

function originLines({ replay_of, early_fire }: Schedule): string[] {
  return [
    ...(replay_of === null ? [] : [`It repeats ${replay_of}.`]),
    ...(early_fire ? ["It has early firing: its request leaves ahead, so that it arrives on time."] : []),
  ];
}

/** Attempts that the log has no more. One that is under way is not in it yet. */
function lostLines({ attempts: count, status }: Schedule, { items, retention_days }: Attempts): string[] {
  const lost = count - items.length - (status === "firing" ? 1 : 0);
  if (lost <= 0) return [];
  const what = lost === 1 ? "One attempt is" : `${lost} attempts are`;
  return [`${what} not shown: the log keeps ${retention_days} days.`];
}
