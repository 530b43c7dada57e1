import type { LateRange } from "./late-range.ts";

/** What narrows a list of schedules or of attempts, and the set of an operation. What is undefined is any. */
export type Filters = {
  /** Lateness of a schedule's first attempt, or of the attempt. */
  late?: LateRange | undefined;
  /** As `searchedHost` returns it. */
  host?: string | undefined;
  /** As `parseCode` reads it: the answer to a schedule's last attempt, or to the attempt. */
  code?: string | undefined;
  idempotencyKey?: string | undefined;
  /** UUID of the operation that made the copies. */
  operationId?: string | undefined;
  /** Key of the recurrence that made the occurrences. */
  recurrence?: string | undefined;
};
