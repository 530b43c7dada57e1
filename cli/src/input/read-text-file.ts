import { readFileSync } from "node:fs";
import { UsageError } from "../errors/usage-error.ts";
import { decodeUtf8 } from "./decode-utf8.ts";

/** The text of a file. Throws a UsageError that names `option` when it cannot be read, or is not UTF-8. */
export function readTextFile(path: string, option: string): string {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`${option} names ${path}, which cannot be read (${code})`);
  }
  return decodeUtf8(bytes, option);
}
