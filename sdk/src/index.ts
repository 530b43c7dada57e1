export type {
  AcceptedEntry,
  BulkEntries,
  BulkEntry,
  BulkOptions,
  CreateMany,
  RejectedEntry,
  UnknownEntry,
} from "./client/bulk-entries.ts";
export type { CallOptions, FetchLike, Retry } from "./client/call.ts";
export type { Operations } from "./client/operations.ts";
export type { Pager } from "./client/pager.ts";
export type { Recurrences } from "./client/recurrences.ts";
export type { Schedules } from "./client/schedules.ts";
export { type Logs, type Secrets, Stopwatch, type StopwatchOptions } from "./client/stopwatch.ts";
export {
  type ErrorCode,
  type ErrorDetail,
  type LocalErrorCode,
  type ServiceErrorCode,
  type SignatureProblem,
  StopwatchError,
  type StopwatchErrorOptions,
} from "./error.ts";
export type { VerifyOptions } from "./signatures/check-signature.ts";
export { type Delivery, verifySignature } from "./signatures/verify-signature.ts";
export { verifyStripeStyle } from "./signatures/verify-stripe-style.ts";
export type * from "./types.ts";
