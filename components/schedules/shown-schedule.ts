import type { ActionProblems, ScheduleAction } from "#domain/schedule-actions.ts";
import type { ScheduleCreator } from "#domain/schedule-creator.ts";
import type { ScheduleFacts } from "#domain/schedule-facts.ts";
import type { SplitWait } from "#domain/split-wait.ts";
import type { ScheduleStatus } from "#domain/states.ts";
import type { AttemptTiming } from "../attempts/attempt-timing.tsx";

/** A schedule as its page shows it. `nextAttemptAt` is null while an attempt runs. */
export type ShownSchedule = Omit<ScheduleFacts, "attempts" | "updatedAt" | "occurrenceAt"> & {
  endedAt: Date | null;
  /** Its copies, newest first. `isCapped`: there are more than `count`. */
  copies: { newest: readonly { id: string; status: ScheduleStatus }[]; count: number; isCapped: boolean };
  idempotencyKey: string | null;
  /** Null when it is not known, and for the copy of an operation. */
  creator: ScheduleCreator | null;
  isErased: boolean;
  /** The schedule has a payload, headers or both. */
  hasContent: boolean;
  /** The number of started attempts. `attempts` has those that have ended and are still kept. */
  attemptCount: number;
  attempts: readonly ShownAttempt[];
  ahead: { total: number | null; lastAtMs: number | null };
  /** The wait before the next retry: what the settings ask for, and its jitter. */
  retryWait: SplitWait | null;
  problems: ActionProblems;
  retentionDays: number;
};

export type ShownAttempt = {
  attempt: number;
  statusCode: number | null;
  latencyMs: number;
  errorText: string;
  attemptedAt: Date;
  timing: AttemptTiming;
};

/** The pages of the actions on a schedule. */
export type ScheduleLinks = Record<ScheduleAction, string>;
