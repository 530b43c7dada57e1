import { StopwatchError } from "../error.ts";
import type { BulkResult, Usage } from "../types.ts";
import { bounded } from "./bounded.ts";
import type { BulkEntries, BulkEntry, CreateMany } from "./bulk-entries.ts";
import type { Call, Trace } from "./call.ts";
import { checkNumbers, invalid } from "./invalid.ts";
import { withKey, writeSchedule } from "./write-body.ts";

type Item = { index: number; idempotencyKey: string; json: string };

export function createCreateMany(call: Call): CreateMany {
  let itemsMax: number | undefined;

  return async (items, { concurrency = 2, batchSize = Infinity, onProgress, onResult, ...options } = {}) => {
    checkNumbers({ concurrency, batchSize }, 1);
    if (!(Object(items)[Symbol.iterator] ?? Object(items)[Symbol.asyncIterator]))
      throw invalid("items", "must be iterable such as []");
    const { signal } = options;
    /** Returns failures of the service, and throws others: without a try they are mistakes of the caller. */
    const ofService = (error: StopwatchError) => {
      if (signal?.aborted || !error.attempts) throw error;
      return error;
    };
    itemsMax ??= ((await call("GET", "/v1/usage", options).catch(ofService)) as Partial<Usage>).limits?.bulk_items;
    // While the plan's limit is unknown, use that of the smallest plan.
    const sizeMax = Math.min(batchSize, itemsMax ?? 100);

    const result: BulkEntries = { accepted: [], rejected: [], unknown: [] };
    const counts = { accepted: 0, rejected: 0, unknown: 0 };
    const report = (entry: BulkEntry) => {
      counts[entry.outcome]++;
      return onResult ? onResult(entry) : (result[entry.outcome] as BulkEntry[]).push(entry);
    };
    const rejected = ({ code, message }: StopwatchError) => ({ outcome: "rejected" as const, code, message });

    async function* batches() {
      const batch: Item[] = [];
      let bytes = 0;
      let index = -1;
      for await (const given of items) {
        if (signal?.aborted) break;
        index++;
        let idempotencyKey = "";
        try {
          const item = withKey(given);
          idempotencyKey = item.idempotencyKey;
          const json = writeSchedule(item, true);
          const size = new TextEncoder().encode(json).length + 1;
          bytes += size;
          // 4,000,000 bytes with the 15 around the items: some platforms stop at 4.5 MB.
          if (batch[0] && bytes > 3_999_985) {
            yield batch.splice(0);
            bytes = size;
          }
          batch.push({ index, idempotencyKey, json });
        } catch (error) {
          await report({ ...rejected(error as StopwatchError), index, idempotencyKey });
        }
        if (batch.length >= sizeMax) {
          yield batch.splice(0);
          bytes = 0;
        }
      }
      if (batch[0]) yield batch;
    }

    const send = async (batch: Item[]) => {
      const trace: Trace = {};
      const body = `{"schedules":[${batch.map(({ json }) => json)}]}`;
      let answer: BulkResult | StopwatchError;
      for (;;) {
        answer = await call<BulkResult>("POST", "/v1/schedules/bulk", options, { body, trace }).catch(ofService);
        const { status, retryAfterMs = 0 } = answer as Partial<StopwatchError>;
        // The plan's rate limit is reached: nothing was stored. Wait as told, even beyond the timeout of a call.
        if (status !== 429 || !(retryAfterMs > 0 && retryAfterMs < 100_000)) break;
        await bounded(() => new Promise(() => {}), retryAfterMs, signal);
      }
      const outcomes: { [position: number]: object } = {};
      for (const outcome of ["accepted", "rejected"] as const)
        for (const item of (answer as Partial<BulkResult>)[outcome] ?? []) outcomes[item.index] = { outcome, ...item };
      const error =
        answer instanceof StopwatchError
          ? answer
          : new StopwatchError("BAD_RESPONSE", "This item is missing", { attempts: 1 });
      // A refusal means that nothing was stored, unless an earlier try may have been carried out.
      const rest = error === answer && !trace.isLost ? rejected(error) : { outcome: "unknown", error };
      for (const [position, { index, idempotencyKey }] of batch.entries())
        await report({ ...(outcomes[position] ?? rest), index, idempotencyKey } as BulkEntry);
      onProgress?.({ ...counts });
    };

    const reader = batches();
    const work = async () => {
      for await (const batch of reader) await send(batch);
    };
    const workAll = () => Promise.allSettled(Array.from({ length: concurrency }, work));
    const ends = await bounded(workAll, Infinity, signal);
    for (const end of ends as PromiseSettledResult<void>[]) if ("reason" in end) throw end.reason;
    for (const list of Object.values(result)) list.sort((a, b) => a.index - b.index);
    return result;
  };
}
