import { buffer } from "node:stream/consumers";
import { decodeUtf8 } from "./decode-utf8.ts";

/** All of stdin as text. Throws a UsageError that names `option` when it is not UTF-8. */
export async function readStdin(option: string): Promise<string> {
  return decodeUtf8(await buffer(process.stdin), option);
}
