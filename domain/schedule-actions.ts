import { isTerminal, type ScheduleStatus } from "./states.ts";

/** What an owner can do with a schedule. */
export type ScheduleAction = "fire" | "cancel" | "reschedule" | "replay" | "clone";

/** For each action the reason why it is not possible now, as a sentence; null when it is possible. */
export type ActionProblems = Record<ScheduleAction, string | null>;

/**
 * Which actions a schedule allows. `claimDeadlineMs` is when a running attempt ends at the latest (epoch ms);
 * `isErased`: retention has erased payload and headers.
 */
export function actionProblems(
  schedule: { status: ScheduleStatus; claimDeadlineMs: number | null; isErased: boolean },
  nowMs: number,
): ActionProblems {
  const { status, isErased } = schedule;
  const isOpen = status === "scheduled" || status === "failed";
  const underWay = isTerminal(status) ? "" : describeAttempt(schedule.claimDeadlineMs, nowMs);
  return {
    fire: isOpen ? null : underWay || `It is ${status}: only a replay sends it again.`,
    cancel: isOpen ? null : underWay || ENDED[status],
    reschedule:
      status === "scheduled" ? null : `Not in ${status}: the time can change only while a schedule is scheduled.`,
    replay: isErased ? "Payload and headers were erased at the end of the plan's retention." : null,
    clone: null,
  };
}

const ENDED: Record<ScheduleStatus, string> = {
  scheduled: "",
  firing: "",
  failed: "",
  succeeded: "It has succeeded: there is nothing left to stop.",
  dead: "It is dead: no attempt is left to stop.",
  cancelled: "It is cancelled already.",
};

function describeAttempt(deadlineMs: number | null, nowMs: number): string {
  const leftS = deadlineMs === null ? 0 : Math.max(1, Math.ceil((deadlineMs - nowMs) / 1_000));
  return `An attempt is under way. Try again${leftS > 0 ? `, at the latest in ${leftS} s` : ""}.`;
}
