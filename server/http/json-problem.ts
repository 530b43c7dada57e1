import { APOSTROPHE, CLOSE_ARRAY, CLOSE_OBJECT, LINE_FEED, RETURN, SLASH } from "./json-bytes.ts";

/** The tokens that may come next. `firstName` follows an opening bracket. */
export type Expected = "value" | "name" | "firstName" | "colon" | "comma" | "end";

export const EXPECTED_VALUE =
  "expected a value: a string in double quotes, a number, true, false, null, an object or an array";

/** Why the byte at `at` of a JSON text is not what is expected there. Does not quote the text. */
export function explain(expected: Expected, bytes: Uint8Array, at: number): string {
  const byte = bytes[at];
  const isCurlyQuote = byte === 0xe2 && bytes[at + 1] === 0x80 && (bytes[at + 2] === 0x9c || bytes[at + 2] === 0x9d);
  if (byte === APOSTROPHE || isCurlyQuote) return 'names and strings must be in double quotes (")';
  if (byte === SLASH) return "JSON has no comments";
  const isClosing = byte === CLOSE_OBJECT || byte === CLOSE_ARRAY;
  switch (expected) {
    case "end":
      return "unexpected text after the end";
    case "colon":
      return "a colon is missing after a name";
    case "comma":
      return "a comma or a closing bracket is missing, or the brackets do not match";
    case "name":
      return byte === CLOSE_OBJECT ? "trailing comma before a closing bracket" : "a name in double quotes is missing";
    case "firstName":
      return "a name in double quotes is missing";
    case "value":
      return isClosing ? "a value is missing, or there is a trailing comma" : EXPECTED_VALUE;
  }
}

/**
 * Where the byte at `at` of a UTF-8 text is: `position 14 (line 1, column 15)`. Positions count from 0 in UTF-16 units, a
 * byte order mark not included; lines and columns count from 1.
 */
export class TextPosition {
  #units = 0;
  #line = 1;
  #lineFrom = 0;
  #previous = 0;

  /** Moves on by these bytes. */
  pass(bytes: Uint8Array): void {
    let units = this.#units;
    let previous = this.#previous;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      // A continuation byte adds nothing. A character of four bytes has two units.
      if ((byte & 0xc0) !== 0x80) units += byte >= 0xf0 ? 2 : 1;
      if (byte === LINE_FEED || byte === RETURN) {
        if (byte === RETURN || previous !== RETURN) this.#line += 1;
        this.#lineFrom = units;
      }
      previous = byte;
    }
    this.#units = units;
    this.#previous = previous;
  }

  toString(): string {
    return `position ${this.#units} (line ${this.#line}, column ${this.#units - this.#lineFrom + 1})`;
  }
}
