import type { Context } from "../context.ts";
import { EXIT } from "../errors/exit-codes.ts";
import { UsageError } from "../errors/usage-error.ts";
import { createProgress } from "../output/progress.ts";
import { parseMap } from "./parse-map.ts";
import { decodeInput, formatOf, readInput } from "./read-input.ts";
import { type InputFormat, type Row, readRows } from "./read-rows.ts";
import { openResultFile, type ResultFile } from "./result-file.ts";
import { hashInput } from "./row-key.ts";
import { sendRows } from "./send-rows.ts";
import { cutShort, describeRejected, GO_ON, summarise, summaryFacts } from "./summarise.ts";
import { validateRows } from "./validate-rows.ts";

export type ImportOptions = { format?: InputFormat; map?: string[]; result?: string; withoutPayloads?: true };

/**
 * Validates all rows of a file, or of stdin for `-`, and creates their schedules, except those that its result file has.
 * Returns the exit code. Throws a UsageError before any row is sent, and a Failure when it ends before the last one.
 */
export async function runImport(context: Context, path: string, options: ImportOptions): Promise<number> {
  const { settings, client, signal } = context;
  const { url, env } = settings();
  const map = parseMap(options.map ?? []);
  const bytes = await readInput(path);
  const text = decodeInput(bytes);
  const format = options.format ?? formatOf(path, text);
  const rowOptions = { format, map, withoutPayloads: options.withoutPayloads === true };
  const { count, largest } = validateRows(readRows(text, rowOptions));
  const { limits } = await client().usage({ signal });
  if (largest.bytes > limits.payload_bytes) {
    const problem = `payload has ${largest.bytes} bytes, and the plan allows ${limits.payload_bytes}`;
    throw new UsageError(`line ${largest.line} of FILE: ${problem}; nothing was sent`);
  }

  const inputHash = hashInput(bytes);
  const resultPath = options.result ?? `${path === "-" ? `import-${inputHash.slice(0, 12)}` : path}.result.jsonl`;
  const meaning = { ...rowOptions, map: Object.fromEntries(map) };
  const file = openResultFile(resultPath, { import: inputHash, rows: count, url, env, options: meaning });
  try {
    return await send(context, { file, rows: readRows(text, rowOptions), count, inputHash, resultPath });
  } finally {
    file.close();
  }
}

type Import = { file: ResultFile; rows: Iterable<Row>; count: number; inputHash: string; resultPath: string };

async function send(context: Context, { file, rows, count, inputHash, resultPath }: Import): Promise<number> {
  const { client, settings, out, say, signal } = context;
  const { url, env } = settings();
  const done = file.results.size;
  say(
    `${done > 0 ? `${done} of ${count} rows are done: sending the rest` : `Sending ${count} rows`} to ${url} (${env}).`,
  );
  const progress = createProgress();
  const onProgress = () => progress.show(`${file.results.size} of ${count} rows; Ctrl-C stops it`);
  try {
    const end = await sendRows(rows, { client: client(), inputHash, file, signal, onProgress });
    progress.end();
    const summary = summarise(file, count);
    for (const line of describeRejected(file)) say(line);
    out.record({ ...summary, result: resultPath }, summaryFacts(summary, resultPath));
    if (end) throw cutShort(end, summary.left);
    return summary.rejected > 0 ? EXIT.partly : EXIT.done;
  } catch (error) {
    progress.end();
    if (signal.aborted) say(`${file.results.size} of ${count} rows are done. ${GO_ON}`);
    throw error;
  }
}
