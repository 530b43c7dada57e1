import { readFileSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import type { Context } from "../context.ts";
import { EXIT } from "../errors/exit-codes.ts";
import { UsageError } from "../errors/usage-error.ts";
import { createProgress } from "../output/progress.ts";
import { decodeText } from "./decode-text.ts";
import { describeProblems } from "./describe-problems.ts";
import { findColumn } from "./fields.ts";
import { FIELDS } from "./find-problems.ts";
import { readRows } from "./read-rows.ts";
import { openResultFile, type ResultFile } from "./result-file.ts";
import type { InputFormat, Row, RowProblem } from "./row.ts";
import { hashInput } from "./row-key.ts";
import { sendRows } from "./send-rows.ts";
import { cutShort, describeRejected, GO_ON, summarise, summaryFacts } from "./summarise.ts";
import { UnreadableInput } from "./unreadable-input.ts";

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

/** What `--map NAME=FIELD` options say, by name. Throws a UsageError for one that is malformed, or names no field. */
function parseMap(options: readonly string[]): Map<string, string> {
  return new Map(
    options.map((option) => {
      const at = option.lastIndexOf("=");
      const [name, field] = [option.slice(0, at), option.slice(at + 1)];
      if (at < 1) throw new UsageError("--map must be the name of a column, =, and a field", EXAMPLE);
      if (field !== "" && findColumn(field, new Map()) === undefined) {
        throw new UsageError(`--map names no field: one of ${FIELDS.join(", ")}, or headers.<name>`, EXAMPLE);
      }
      return [name, field] as const;
    }),
  );
}

const EXAMPLE = "stopwatch import rows.csv --map url=targetUrl --map note=";

/** All bytes of a file, or of stdin for `-`. Throws a UsageError when it cannot be read, or is too large. */
async function readInput(path: string): Promise<Uint8Array> {
  const bytes = path === "-" ? await buffer(process.stdin) : readFile(path);
  if (bytes.length > BYTES_MAX) throw new UsageError(`FILE has more than ${BYTES_MAX / 2 ** 20} MiB: split it`);
  return bytes;
}

/** The text of an input. Throws a UsageError unless it is UTF-8. */
function decodeInput(bytes: Uint8Array): string {
  try {
    return decodeText(bytes);
  } catch (error) {
    throw error instanceof UnreadableInput ? new UsageError(describeProblems([error])) : error;
  }
}

/** What an input is, by its name, otherwise by how it begins. */
function formatOf(path: string, text: string): InputFormat {
  if (/\.csv$/i.test(path)) return "csv";
  return /\.(jsonl|ndjson|json)$/i.test(path) || /^\s*[{[]/.test(text) ? "jsonl" : "csv";
}

function readFile(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(`FILE is ${path}, which cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** A text in memory has at most about 500 million characters. */
const BYTES_MAX = 256 * 2 ** 20;

/** How many rows there are, and the largest of their payloads, in bytes of UTF-8. */
type ValidRows = { count: number; largest: { line: number; bytes: number } };

/**
 * Reads all rows. Throws a UsageError that names what is wrong by line and column: the first 20
 * problems, and how many there are.
 */
function validateRows(rows: Iterable<Row>): ValidRows {
  const problems: RowProblem[] = [];
  const lineOfKey = new Map<unknown, number>();
  let largest = { line: 1, bytes: 0 };
  let count = 0;
  try {
    for (const row of rows) {
      count++;
      problems.push(...row.problems, ...findKeyProblem(row, lineOfKey));
      const bytes = Buffer.byteLength(String(row.item.payload ?? ""));
      if (bytes > largest.bytes) largest = { line: row.line, bytes };
    }
  } catch (error) {
    if (!(error instanceof UnreadableInput)) throw error;
    problems.push(error);
  }
  if (problems.length > 0) throw new UsageError(describeProblems(problems));
  if (count === 0) throw new UsageError("FILE has no rows");
  return { count, largest };
}

/** In one call the API would refuse the second row with a key, and in another call take it for the first one. */
function findKeyProblem({ line, item: { idempotencyKey: key } }: Row, lineOfKey: Map<unknown, number>): RowProblem[] {
  if (key === undefined) return [];
  const first = lineOfKey.get(key);
  if (first !== undefined) return [{ line, message: `idempotencyKey is that of line ${first}` }];
  lineOfKey.set(key, line);
  return [];
}
