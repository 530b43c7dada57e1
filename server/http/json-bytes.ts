import { Buffer } from "node:buffer";

export const TAB = 0x09;
export const LINE_FEED = 0x0a;
export const RETURN = 0x0d;
export const SPACE = 0x20;
export const QUOTE = 0x22;
export const APOSTROPHE = 0x27;
export const COMMA = 0x2c;
export const MINUS = 0x2d;
export const SLASH = 0x2f;
export const ZERO = 0x30;
export const NINE = 0x39;
export const COLON = 0x3a;
export const OPEN_ARRAY = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_ARRAY = 0x5d;
export const LETTER_U = 0x75;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
export const BYTE_ORDER_MARK: readonly number[] = [0xef, 0xbb, 0xbf];

/** `true`, `false` and `null`, by their first byte. */
export const LITERALS: readonly (Uint8Array | undefined)[] = literals();

/** 1 for each byte that stands for itself in a string. */
export const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH ? 1 : 0,
);

/** 1 for each hexadecimal digit. */
export const HEX = setOf("0123456789abcdefABCDEF");

/** 1 for each byte that may follow a backslash, `u` aside. */
export const ESCAPED = setOf('"\\/bfnrt');

// The states of a number (RFC 8259, section 6).
export const SIGN = 1;
const POINT = 2;
const EXPONENT = 3;
const EXPONENT_SIGN = 4;
/** The first of the states in which a number may end. */
export const LEADING_ZERO = 5;
export const INTEGER = 6;
const FRACTION = 7;
const EXPONENT_DIGITS = 8;

/** The state of a number after state × 256 + byte; 0: the byte does not belong to the number. */
export const NUMBER_STEPS = numberSteps();

function numberSteps(): Uint8Array {
  const steps = new Uint8Array((EXPONENT_DIGITS + 1) * 256);
  const allow = (states: number[], text: string, next: number) => {
    for (const state of states) for (const byte of Buffer.from(text)) steps[state * 256 + byte] = next;
  };
  allow([SIGN], "0", LEADING_ZERO);
  allow([SIGN], "123456789", INTEGER);
  allow([INTEGER], "0123456789", INTEGER);
  allow([LEADING_ZERO, INTEGER], ".", POINT);
  allow([POINT, FRACTION], "0123456789", FRACTION);
  allow([LEADING_ZERO, INTEGER, FRACTION], "eE", EXPONENT);
  allow([EXPONENT], "+-", EXPONENT_SIGN);
  allow([EXPONENT, EXPONENT_SIGN, EXPONENT_DIGITS], "0123456789", EXPONENT_DIGITS);
  return steps;
}

function literals(): (Uint8Array | undefined)[] {
  const words: (Uint8Array | undefined)[] = Array.from({ length: 256 });
  for (const word of ["true", "false", "null"]) words[word.charCodeAt(0)] = Buffer.from(word);
  return words;
}

function setOf(text: string): Uint8Array {
  const set = new Uint8Array(256);
  for (const byte of Buffer.from(text)) set[byte] = 1;
  return set;
}
