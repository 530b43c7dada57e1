import { readFileSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { UsageError } from "../errors/usage-error.ts";
import { decodeText } from "./decode-text.ts";
import { describeProblems } from "./describe-problems.ts";
import type { InputFormat } from "./read-rows.ts";
import { UnreadableInput } from "./unreadable-input.ts";

/** All bytes of a file, or of stdin for `-`. Throws a UsageError when it cannot be read, or is too large. */
export async function readInput(path: string): Promise<Uint8Array> {
  const bytes = path === "-" ? await buffer(process.stdin) : readFile(path);
  if (bytes.length > BYTES_MAX) throw new UsageError(`FILE has more than ${BYTES_MAX / 2 ** 20} MiB: split it`);
  return bytes;
}

/** The text of an input. Throws a UsageError unless it is UTF-8. */
export function decodeInput(bytes: Uint8Array): string {
  try {
    return decodeText(bytes);
  } catch (error) {
    throw error instanceof UnreadableInput ? new UsageError(describeProblems([error])) : error;
  }
}

/** What an input is, by its name, otherwise by how it begins. */
export function formatOf(path: string, text: string): InputFormat {
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
