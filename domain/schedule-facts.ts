import type { EndReason } from "./end-reasons.ts";
import type { RequestOptions } from "./request-fields.ts";
import type { REQUEST_METHODS } from "./request-methods.ts";
import type { ScheduleStatus } from "./states.ts";

/** What its owner sees of a schedule. Ids are those of the API. */
export type ScheduleFacts = RequestOptions & {
  id: string;
  targetUrl: string;
  method: (typeof REQUEST_METHODS)[number];
  status: ScheduleStatus;
  fireAt: Date;
  firedAt: Date | null;
  offsetMs: number | null;
  earlyFire: boolean;
  /** How many were started. */
  attempts: number;
  payloadSizeBytes: number;
  createdAt: Date;
  updatedAt: Date;
  nextAttemptAt: Date | null;
  /** Of the last attempt: its status code, and the first line of its answer or error. */
  lastStatusCode: number | null;
  lastError: string | null;
  /** Why it is dead; null where it is not, or that was not recorded. */
  endReason: EndReason | null;
  replayOf: string | null;
  /** The operation that made this copy. */
  operationId: string | null;
  /** The key of the recurrence that made it; null for any other, and when that was deleted. */
  recurrence: string | null;
  occurrenceAt: Date | null;
};
