import type { ErrorCode, StopwatchError } from "../error.ts";
import type { AcceptedItem, CreateInput, RejectedItem, Usage } from "../types.ts";
import { type Item, readItems } from "./batches.ts";
import { bounded } from "./bounded.ts";
import type { Call, CallOptions } from "./call.ts";
import { checkNumber } from "./invalid.ts";
import { sendBatch } from "./send-batch.ts";

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

/** `timeoutMs` and `maxRetries` are those of each batch. */
export type BulkOptions = CallOptions & {
  /** How many batches are under way at once; 2 unless given. */
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

/** Items of a batch while the plan's limit is not known: what the smallest plan allows. */
const BATCH_ITEMS = 100;

export function createCreateMany(call: Call): CreateMany {
  let itemsMax: number | undefined;

  async function readItemsMax(options: CallOptions): Promise<number> {
    try {
      itemsMax ??= (await call<Usage>({ method: "GET", path: "/v1/usage" }, options)).limits.bulk_items;
    } catch (error) {
      // Batches find out what is wrong. Without a try it is the caller's mistake.
      if (options.signal?.aborted || !(error as StopwatchError).attempts) throw error;
    }
    return itemsMax ?? BATCH_ITEMS;
  }

  return async (items, { concurrency = 2, batchSize = Infinity, onProgress, onResult, ...options } = {}) => {
    const { signal } = options;
    checkNumber("concurrency", concurrency, 1);
    checkNumber("batchSize", batchSize, 1);
    const result: BulkEntries = { accepted: [], rejected: [], unknown: [] };
    const counts = { accepted: 0, rejected: 0, unknown: 0 };
    const report = async (entry: BulkEntry) => {
      counts[entry.outcome]++;
      if (onResult) await onResult(entry);
      else (result[entry.outcome] as BulkEntry[]).push(entry);
    };
    const send = async (batch: Item[]) => {
      for (const entry of await sendBatch(call, batch, options)) await report(entry);
      onProgress?.({ ...counts });
    };

    const reader = readItems(items, report);
    const batches = reader.batches(Math.min(batchSize, await readItemsMax(options)));
    const running = new Set<Promise<unknown>>();
    let failure: { error: unknown } | undefined;
    const fail = (error: unknown) => {
      failure ??= { error };
    };
    while (!failure) {
      const step = await bounded(() => batches.next(), Infinity, signal).catch(fail);
      if (!step || step.done) break;
      const sent: Promise<unknown> = send(step.value)
        .catch(fail)
        .finally(() => running.delete(sent));
      running.add(sent);
      if (running.size >= concurrency) await Promise.race(running);
    }
    reader.close();
    if (!signal?.aborted) await Promise.all(running);
    if (failure) throw failure.error;
    for (const list of Object.values(result)) list.sort((a, b) => a.index - b.index);
    return result;
  };
}
