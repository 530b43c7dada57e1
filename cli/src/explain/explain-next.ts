import type { Attempt, Schedule } from "../../../sdk/src/types.ts";
import { outcomeOf } from "./outcome.ts";
import { duration, relative } from "./words.ts";

type Context = {
  schedule: Schedule;
  attempts: readonly Attempt[];
  nowMs: number;
  at: (instant: string) => string;
};

/** What happens next, and what its owner can do. */
export function explainNext({ schedule, attempts, nowMs, at }: Context): string[] {
  const { id, status, fire_at, next_attempt_at } = schedule;
  switch (status) {
    case "scheduled":
      return waitingLines(next_attempt_at ?? fire_at, nowMs, at);
    case "firing":
      return [
        "Next: its attempt ends within 30 s. If its dispatcher was lost, another one repeats it about 35 s after the claim.",
      ];
    case "failed":
      return [...waitingLines(next_attempt_at ?? fire_at, nowMs, at), `\`stopwatch cancel ${id}\` stops it.`];
    case "succeeded":
      return ["Next: nothing. It is done."];
    case "cancelled":
      return [`Next: nothing. \`stopwatch replay ${id}\` sends the same request as a new schedule.`];
    case "dead":
      return [
        `Why no retry follows: ${whyDead(attempts.at(-1))}.`,
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

function whyDead(last: Attempt | undefined): string {
  if (last === undefined) return "its attempts are not in the log any more";
  if (last.status_code === 410) return "the target answered 410 Gone";
  const outcome = outcomeOf(last);
  if (outcome === "blocked") return "the target is not allowed, and a retry would not change that";
  return outcome === "interrupted" ? "three attempts in a row were interrupted" : "no retry was left";
}
