import { isTerminal, type ScheduleStatus } from "./states.ts";

export const SCHEDULE_ACTIONS = ["fire", "reschedule", "replay", "clone", "cancel"] as const;

/** What an owner can do with a schedule. */
export type ScheduleAction = (typeof SCHEDULE_ACTIONS)[number];

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
    reschedule: status === "scheduled" ? null : "Its time can change only while it is scheduled.",
    replay: isErased ? "Payload and headers were erased at the end of the plan's retention." : null,
    clone: null,
  };
}

/**
 * The instant at which a replay can stand in for a schedule that was cancelled: its own, while that is ahead. Null for any other
 * schedule: a cancel cannot be taken back, and what is past is replayed now.
 */
export function instantToRestore({ status, fireAt }: { status: ScheduleStatus; fireAt: Date }, now: Date): Date | null {
  return status === "cancelled" && fireAt > now ? fireAt : null;
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
