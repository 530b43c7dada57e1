import { UsageError } from "../errors/usage-error.ts";

/** The text of these bytes, its byte order mark included. Throws a UsageError that names `option` when it is not UTF-8. */
export function decodeUtf8(bytes: Uint8Array, option: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UsageError(`${option} must be UTF-8: convert it first, such as with iconv -f latin1 -t utf-8`);
  }
}
