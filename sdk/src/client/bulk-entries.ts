import type { ErrorCode, StopwatchError } from "../error.ts";
import type { AcceptedItem, CreateInput, RejectedItem } from "../types.ts";
import type { CallOptions } from "./call.ts";

/** An item that has a schedule now. */
export type AcceptedEntry = AcceptedItem & { outcome: "accepted"; idempotencyKey: string };

/** An item of which nothing was stored. Its code may also be that of the refusal of its whole batch. */
export type RejectedEntry = Omit<RejectedItem, "code"> & {
  outcome: "rejected";
  code: ErrorCode;
  idempotencyKey: string;
};

/** An item whose batch had no answer: it may be stored. Sending it again with this key is safe. */
export type UnknownEntry = { outcome: "unknown"; index: number; idempotencyKey: string; error: StopwatchError };

/** What became of one item. `index` is its position in `items`, from 0. */
export type BulkEntry = AcceptedEntry | RejectedEntry | UnknownEntry;

/** What became of all items, in their order. */
export type BulkEntries = { accepted: AcceptedEntry[]; rejected: RejectedEntry[]; unknown: UnknownEntry[] };

/** `timeoutMs` and `maxRetries` are those of each batch. It waits for the plan's rate besides, until the signal ends it. */
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
 * Creates many schedules, in batches. An item without `idempotencyKey` gets one. Throws for options that cannot be used,
 * when the signal is aborted, and what `items` and the callbacks throw; everything else is an entry.
 */
export type CreateMany = (
  items: Iterable<CreateInput> | AsyncIterable<CreateInput>,
  options?: BulkOptions,
) => Promise<BulkEntries>;
