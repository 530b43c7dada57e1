import type { OnRecurringClockChange } from "./recurrence.ts";
import type { CATCH_UP, LeftOut, OVERLAP, RecurrenceStatus } from "./recurrence-step.ts";
import type { RequestOptions } from "./request-fields.ts";
import type { REQUEST_METHODS } from "./request-methods.ts";

/** The rule of a recurrence, and what it sends. Instants are epoch ms. */
export type RecurrenceRule = RequestOptions & {
  /** UUID. */
  id: string;
  key: string;
  status: RecurrenceStatus;
  cron: string;
  zone: string;
  onClockChange: OnRecurringClockChange;
  overlap: (typeof OVERLAP)[number];
  catchUp: (typeof CATCH_UP)[number];
  spreadMs: number;
  endsAtMs: number | null;
  targetUrl: string;
  method: (typeof REQUEST_METHODS)[number];
};

/** What its owner sees of a recurrence at `nowMs`. */
export type RecurrenceFacts = RecurrenceRule & {
  name: string | null;
  payloadSizeBytes: number;
  pausedUntilMs: number | null;
  pauseNote: string | null;
  leftOut: LeftOut[];
  createdAtMs: number;
  updatedAtMs: number;
  nowMs: number;
};
