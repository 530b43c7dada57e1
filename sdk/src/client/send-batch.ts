import { StopwatchError } from "../error.ts";
import type { BulkResult } from "../types.ts";
import type { Item } from "./batches.ts";
import type { Call, CallOptions, Trace } from "./call.ts";
import type { BulkEntry } from "./create-many.ts";

/** Sends one batch. Returns what became of its items, in their order; throws only what no try was made for. */
export async function sendBatch(call: Call, batch: Item[], options: CallOptions): Promise<BulkEntry[]> {
  const body = `{"schedules":[${batch.map(({ json }) => json).join()}]}`;
  const trace: Trace = {};
  try {
    const answer = await call<BulkResult>({ method: "POST", path: "/v1/schedules/bulk", body }, options, trace);
    const outcomes = new Map<number, object>();
    for (const item of answer.accepted) outcomes.set(item.index, { outcome: "accepted", ...item });
    for (const item of answer.rejected) outcomes.set(item.index, { outcome: "rejected", ...item });
    const error = new StopwatchError("BAD_RESPONSE", "The answer does not name this item", { attempts: 1 });
    return entries(batch, (position) => outcomes.get(position) ?? { outcome: "unknown", error });
  } catch (thrown) {
    const error = thrown as StopwatchError;
    if (options.signal?.aborted || !error.attempts) throw error;
    const { code, message } = error;
    // A refusal says that nothing was stored, unless an earlier try may have been carried out.
    return entries(batch, () =>
      trace.isLost ? { outcome: "unknown", error } : { outcome: "rejected", code, message },
    );
  }
}

function entries(batch: Item[], outcomeAt: (position: number) => object): BulkEntry[] {
  return batch.map(
    ({ index, idempotencyKey }, position) => ({ ...outcomeAt(position), index, idempotencyKey }) as BulkEntry,
  );
}
