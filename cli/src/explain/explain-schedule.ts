import { attemptMaxMs, RECORDING_MS } from "../../../domain/timing.ts";
import type { Attempt, Attempts, Schedule } from "../../../sdk/src/types.ts";
import { explainAttempt } from "./explain-attempt.ts";
import { outcomeOf } from "./outcome.ts";
import { duration, instantWriter, quoteStranger, relative } from "./words.ts";

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

type Context = {
  schedule: Schedule;
  attempts: readonly Attempt[];
  nowMs: number;
  at: (instant: string) => string;
};

/** What happens next, and what its owner can do. */
function explainNext({ schedule, attempts, nowMs, at }: Context): string[] {
  const { id, status, fire_at, next_attempt_at, delivery } = schedule;
  const attemptS = attemptMaxMs(delivery?.timeout_ms ?? undefined) / 1_000;
  switch (status) {
    case "scheduled":
      return waitingLines(next_attempt_at ?? fire_at, nowMs, at);
    case "firing":
      return [
        `Next: its attempt ends within ${attemptS} s. If its dispatcher was lost, another one repeats it about ${attemptS + RECORDING_MS / 1_000} s after the claim.`,
      ];
    case "failed":
      return [...waitingLines(next_attempt_at ?? fire_at, nowMs, at), `\`stopwatch cancel ${id}\` stops it.`];
    case "succeeded":
      return ["Next: nothing. It is done."];
    case "cancelled":
      return [`Next: nothing. \`stopwatch replay ${id}\` sends the same request as a new schedule.`];
    case "dead":
      return [
        `Why no retry follows: ${whyDead(schedule, attempts.at(-1))}.`,
        `Next: nothing by itself. \`stopwatch replay ${id}\` sends the same request as a new schedule.`,
      ];
  }
}

function waitingLines(due: string, nowMs: number, at: (instant: string) => string): string[] {
  const lateMs = nowMs - Date.parse(due);
  if (lateMs < OVERDUE_MS) return [`Next: an attempt at ${at(due)} (${relative(due, nowMs)}).`];
  return [
    `Next: an attempt as soon as possible. It has been due for ${duration(lateMs)}: it waits for the account's rate, or no dispatcher runs. \`stopwatch doctor\` tells.`,
  ];
}

/** From here on a schedule that waits is worth a word, ms: every dispatcher has looked several times. */
const OVERDUE_MS = 2_000;

function whyDead({ end_reason }: Schedule, last: Attempt | undefined): string {
  if (end_reason === "expired") return "it has expired: no attempt was to begin after that";
  if (end_reason === "deactivated") return "it expired while its account was deactivated";
  if (end_reason === "status" && last?.status_code !== 410) return "the target's answer ends it";
  if (last === undefined) return "its attempts are not in the log any more";
  if (last.status_code === 410) return "the target answered 410 Gone";
  const outcome = outcomeOf(last);
  if (outcome === "blocked") return "the target is not allowed, and a retry would not change that";
  return outcome === "interrupted" ? "three attempts in a row were interrupted" : "no retry was left";
}
