import { closeSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import { UsageError } from "../errors/usage-error.ts";

/** What an import was of, as the first line of its result file says. */
export type ImportHead = {
  /** The SHA-256 of the whole input, in hex. */
  import: string;
  rows: number;
  url: string;
  env: string;
  /** The options that decide what the rows mean. */
  options: { format: string; map: Record<string, string>; withoutPayloads: boolean };
};

/** What became of a row. `mismatch`: its key stands for another request, and nothing was created. */
export type RowResult = { row: number; line: number } & (
  | { outcome: "accepted" | "mismatch"; id: string; fire_at: string; status: string; replayed?: true }
  | { outcome: "rejected"; code: string; message: string }
);

/** The result file of an import: a line for the import, then one for each row that is done, in the order of the answers. */
export type ResultFile = {
  /** By the number of the row. */
  results: ReadonlyMap<number, RowResult>;
  add(result: RowResult): void;
  close(): void;
};

/**
 * Opens the result file of an import, or begins it. A line that a kill cut off is removed: its row is sent again, under the
 * same key. Throws a UsageError when the file is of another import, or of none.
 */
export function openResultFile(path: string, head: ImportHead): ResultFile {
  const file = open(path);
  try {
    const headLine = `${JSON.stringify(head)}\n`;
    const text = readFileSync(file, "utf8");
    const whole = text.slice(0, text.lastIndexOf("\n") + 1);
    if (whole === "" && !headLine.startsWith(text)) refuse(path, NO_RESULT);
    if (whole.length < text.length) ftruncateSync(file, Buffer.byteLength(whole));
    const results = whole === "" ? [] : readResults(path, whole, head);
    if (whole === "") writeSync(file, headLine);
    return createResultFile(file, results);
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function createResultFile(file: number, done: RowResult[]): ResultFile {
  const results = new Map(done.map((result) => [result.row, result]));
  return {
    results,
    add(result) {
      writeSync(file, `${JSON.stringify(result)}\n`);
      results.set(result.row, result);
    },
    close() {
      fsyncSync(file);
      closeSync(file);
    },
  };
}

function open(path: string): number {
  try {
    return openSync(path, "a+", 0o600);
  } catch (error) {
    throw new UsageError(`--result names ${path}, which cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
}

function readResults(path: string, text: string, head: ImportHead): RowResult[] {
  const [first, ...rows] = text
    .trimEnd()
    .split("\n")
    .map((line) => parseLine(path, line));
  const found = first as Partial<ImportHead>;
  if (typeof found.import !== "string") refuse(path, NO_RESULT);
  if (found.import !== head.import) refuse(path, OTHER_INPUT);
  for (const name of ["url", "env", "options"] as const) {
    const [was, is] = [found[name], head[name]].map((value) => JSON.stringify(value));
    if (was !== is) refuse(path, `is of an import with other settings (${name}: ${was}, and now ${is}): use these`);
  }
  return rows as RowResult[];
}

function parseLine(path: string, line: string): object {
  try {
    const value = JSON.parse(line);
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Not JSON.
  }
  return refuse(path, NO_RESULT);
}

const NO_RESULT = "is not the result file of an import: name another file";
const OTHER_INPUT =
  "is of an import of other bytes. If you have corrected rejected rows, put them alone into a new file: the others exist already, and would be created twice";

function refuse(path: string, why: string): never {
  throw new UsageError(`--result: ${path} ${why}`);
}
