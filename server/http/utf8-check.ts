import { isUtf8 } from "node:buffer";

/** Checks that a text which arrives in pieces is UTF-8. */
export class Utf8Check {
  /** The beginning of a character that the last piece cut off, up to three bytes. */
  #begun: Uint8Array = EMPTY;

  /** Whether the text is UTF-8 as far as it has come with this piece. */
  push(piece: Uint8Array): boolean {
    const bytes = this.#begun.length === 0 ? piece : Buffer.concat([this.#begun, piece]);
    const whole = bytes.length - cutOffBytes(bytes);
    this.#begun = whole === bytes.length ? EMPTY : Uint8Array.from(bytes.subarray(whole));
    return isUtf8(bytes.subarray(0, whole));
  }

  /** Whether the text ends with a whole character. */
  end(): boolean {
    return this.#begun.length === 0;
  }
}

const EMPTY = new Uint8Array();

/** How many bytes at the end are a character whose rest is missing. */
function cutOffBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}
