import type { ActionProblems } from "#domain/schedule-actions.ts";
import type { ScheduleStatus } from "#domain/states.ts";
import type { AttemptTiming } from "../attempts/attempt-timing.tsx";

/** A schedule with all that its page shows. */
export type ShownSchedule = {
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
  /** Of the next attempt; null while one runs, and once none is due. */
  nextAttemptAt: Date | null;
  endedAt: Date | null;
  replayOf: string | null;
  /** The schedules that were made from it, the newest of them first. `isCapped`: there are more than `count`. */
  copies: { newest: readonly { id: string; status: ScheduleStatus }[]; count: number; isCapped: boolean };
  idempotencyKey: string | null;
  isErased: boolean;
  /** Payload, headers or both are kept. */
  hasContent: boolean;
  /** Started ones, of which `attempts` holds those that ended and are still kept. */
  attemptCount: number;
  attempts: readonly ShownAttempt[];
  ahead: { total: number | null; lastAtMs: number | null };
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

/** The pages on which something is done with a schedule. */
export type ScheduleLinks = Record<"cancel" | "reschedule" | "replay" | "clone", string>;
