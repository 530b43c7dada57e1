import { type BulkEntry, type CreateInput, type Stopwatch, StopwatchError } from "../../../sdk/src/index.ts";
import type { ResultFile } from "./result-file.ts";
import type { Row } from "./row.ts";
import { keyOf } from "./row-key.ts";

export type SendOptions = {
  client: Stopwatch;
  /** The SHA-256 of the input, in hex. */
  inputHash: string;
  file: ResultFile;
  signal: AbortSignal;
  /** Called after each batch. */
  onProgress(): void;
};

/**
 * Creates the schedules of all rows that have no result yet, and adds their results. It ends early, after the batches that are
 * under way, when the service cannot take more rows now (quota, rate, outage, key): then it returns why. Sending the rest
 * later creates nothing twice, since each row has its key.
 */
export async function sendRows(rows: Iterable<Row>, options: SendOptions): Promise<StopwatchError | undefined> {
  const { client, inputHash, file, signal, onProgress } = options;
  const sent: { row: number; line: number }[] = [];
  let end: StopwatchError | undefined;

  function* items(): Generator<CreateInput> {
    for (const { number, line, item } of rows) {
      if (end) return;
      if (file.results.has(number)) continue;
      sent.push({ row: number, line });
      yield { ...item, idempotencyKey: keyOf(inputHash, number, item.idempotencyKey) } as CreateInput;
    }
  }

  function onResult(entry: BulkEntry): void {
    const place = sent[entry.index] as { row: number; line: number };
    if (entry.outcome === "unknown") end ??= entry.error;
    else if (entry.outcome === "accepted") {
      const { id, fire_at, status, replayed, mismatch } = entry;
      const outcome = mismatch ? "mismatch" : "accepted";
      file.add({ ...place, outcome, id, fire_at, status, ...(replayed && { replayed }) });
    } else if (OF_ROW.has(entry.code)) {
      file.add({ ...place, outcome: "rejected", code: entry.code, message: entry.message });
    } else end ??= new StopwatchError(entry.code, entry.message);
  }

  await client.schedules.createMany(items(), { ...PATIENCE, signal, onProgress, onResult });
  return end;
}

/** Refusals that are a row's own, and will stay. */
const OF_ROW: ReadonlySet<string> = new Set(["VALIDATION", "CONFLICT", "PAYLOAD_TOO_LARGE"]);

/** An import waits through an outage of two minutes before it ends. */
const PATIENCE = { timeoutMs: 120_000, maxRetries: 20 };
