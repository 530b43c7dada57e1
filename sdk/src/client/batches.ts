import type { StopwatchError } from "../error.ts";
import type { CreateInput } from "../types.ts";
import type { RejectedEntry } from "./create-many.ts";
import { invalid } from "./invalid.ts";
import { withKey, writeSchedule } from "./write-body.ts";

/** One item, written. */
export type Item = { index: number; idempotencyKey: string; json: string };

/** Bytes of a batch, without the 16 around its items: some platforms stop at 4.5 MB. */
const BATCH_BYTES_MAX = 4_000_000 - 16;

/**
 * Reads items one by one and writes them in batches. Those that cannot be written are reported as rejected. Throws
 * INVALID_ARGUMENT when there is nothing to iterate.
 */
export function readItems(
  items: Iterable<CreateInput> | AsyncIterable<CreateInput>,
  report: (entry: RejectedEntry) => Promise<void>,
): { batches(sizeMax: number): AsyncGenerator<Item[]>; close(): void } {
  const source = items as (Iterable<CreateInput> & AsyncIterable<CreateInput>) | undefined;
  const iterator: AsyncIterator<CreateInput> | Iterator<CreateInput> | undefined =
    source?.[Symbol.asyncIterator]?.() ?? source?.[Symbol.iterator]?.();
  if (!iterator) throw invalid("items", "must be a list, or another iterable");
  let isOpen = true;

  return {
    async *batches(sizeMax) {
      const encoder = new TextEncoder();
      let batch: Item[] = [];
      let bytes = 0;
      for (let index = 0; isOpen; index++) {
        let step: IteratorResult<CreateInput>;
        try {
          step = await iterator.next();
        } catch (error) {
          isOpen = false;
          throw error;
        }
        if (step.done) break;
        const keyed = withKey(await step.value);
        const { idempotencyKey } = keyed;
        let json: string;
        try {
          json = writeSchedule(keyed, { needsTime: true });
        } catch (error) {
          const { code, message } = error as StopwatchError;
          await report({ outcome: "rejected", index, idempotencyKey, code, message });
          continue;
        }
        const size = encoder.encode(json).length + 1;
        if (batch.length && bytes + size > BATCH_BYTES_MAX) {
          yield batch;
          batch = [];
          bytes = 0;
        }
        batch.push({ index, idempotencyKey, json });
        bytes += size;
        if (batch.length >= sizeMax) {
          yield batch;
          batch = [];
          bytes = 0;
        }
      }
      isOpen = false;
      if (batch.length) yield batch;
    },
    /** Lets the source go, without waiting for it. */
    close() {
      if (!isOpen) return;
      isOpen = false;
      new Promise((resolve) => resolve(iterator.return?.())).catch(() => {});
    },
  };
}
