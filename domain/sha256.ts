import { sha256 as digest } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/**
 * The SHA-256 of a text in UTF-8, as hexadecimal digits, for what runs in browsers too: their own answers by a promise, and
 * `node:crypto` is not there.
 */
export function sha256(text: string): string {
  return bytesToHex(digest(utf8ToBytes(text)));
}
