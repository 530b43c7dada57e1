import type { EndReason } from "#domain/end-reasons.ts";
import type { RequestOptions } from "#domain/request-fields.ts";
import type { ActionProblems, ScheduleAction } from "#domain/schedule-actions.ts";
import type { ScheduleCreator } from "#domain/schedule-creator.ts";
import type { SplitWait } from "#domain/split-wait.ts";
import type { ScheduleStatus } from "#domain/states.ts";
import type { AttemptTiming } from "../attempts/attempt-timing.tsx";

/** A schedule as its page shows it. */
export type ShownSchedule = RequestOptions & {
  id: string;
  targetUrl: string;
  method: string;
  status: ScheduleStatus;
  fireAt: Date;
  firedAt: Date | null;
  offsetMs: number | null;
  earlyFire: boolean;
  payloadSizeBytes: number;
  createdAt: Date;
  /** When the next attempt is due; null while one runs, and when none is due. */
  nextAttemptAt: Date | null;
  endedAt: Date | null;
  replayOf: string | null;
  /** The operation that made this copy. */
  operationId: string | null;
  /** The key of the recurrence that made it; null for any other, and when that was deleted. */
  recurrence: string | null;
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
  /** Of the last attempt, also when it is not kept any more: its status code, and the first line of its answer or error. */
  lastStatusCode: number | null;
  lastError: string | null;
  /** Why it is dead; null where it is not, or that was not recorded. */
  endReason: EndReason | null;
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
