import type { ErrorCode, StopwatchError } from "../error.ts";
import type { AcceptedItem, CreateInput, RejectedItem } from "../types.ts";
import type { CallOptions } from "./call.ts";

/** An item that has a schedule now. */
export type AcceptedEntry = AcceptedItem & { outcome: "accepted"; idempotencyKey: string };

/** An item of which nothing was stored. `code` may come from the refusal of its whole batch. */
export type RejectedEntry = Omit<RejectedItem, "code"> & {
  outcome: "rejected";
  code: ErrorCode;
  idempotencyKey: string;
};

/** An item whose batch had no answer: it may be stored. Sending it again with this key is safe. */
export type UnknownEntry = { outcome: "unknown"; index: number; idempotencyKey: string; error: StopwatchError };

/** The outcome of one item. `index` is its position in `items`, from 0. */
export type BulkEntry = AcceptedEntry | RejectedEntry | UnknownEntry;

/** The outcomes of all items, in their order. */
export type BulkEntries = { accepted: AcceptedEntry[]; rejected: RejectedEntry[]; unknown: UnknownEntry[] };

/** `timeoutMs` and `maxRetries` apply to each batch. Waits for the plan's rate are extra; only the signal ends them. */
export type BulkOptions = CallOptions & {
  /** How many batches may be under way at once. 2 unless given. */
  concurrency?: number | undefined;
  /** Items of a batch at most; the plan may allow fewer. */
  batchSize?: number | undefined;
  /** Called after each batch, with how many items had which outcome so far. */
  onProgress?: ((counts: { accepted: number; rejected: number; unknown: number }) => void) | undefined;
  /** Called with each entry, and awaited. The lists of the result stay empty then, so that memory is bounded. */
  onResult?: ((entry: BulkEntry) => unknown) | undefined;
};

/**
 * Creates many schedules, in batches. An item without `idempotencyKey` gets one. Throws for unusable options and when
 * the signal is aborted, and passes on what `items` and the callbacks throw. Any other failure is an entry.
 */
export type CreateMany = (
  items: Iterable<CreateInput> | AsyncIterable<CreateInput>,
  options?: BulkOptions,
) => Promise<BulkEntries>;
