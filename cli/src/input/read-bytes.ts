import { readFileSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { UsageError } from "../errors/usage-error.ts";

/** The bytes of a file, or of stdin for `-`. Throws a UsageError that names `option` when it cannot be read. */
export async function readBytes(path: string, option: string): Promise<Buffer> {
  if (path === "-") return buffer(process.stdin);
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(`${option} names ${path}, which cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
