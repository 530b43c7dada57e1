import type { ErrorDetail } from "#domain/errors.ts";
import {
  BACKSLASH,
  BYTE_ORDER_MARK,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  ESCAPED,
  HEX,
  INTEGER,
  LEADING_ZERO,
  LETTER_U,
  LINE_FEED,
  LITERALS,
  MINUS,
  NINE,
  NUMBER_STEPS,
  OPEN_ARRAY,
  OPEN_OBJECT,
  PLAIN,
  QUOTE,
  RETURN,
  SIGN,
  SPACE,
  TAB,
  ZERO,
} from "./json-bytes.ts";
import { EXPECTED_VALUE, type Expected, explain } from "./json-problem.ts";

/** Why a text is not JSON, and at which byte; or which limit it exceeds. */
export type JsonProblem = { at: number; message: string } | { excess: ErrorDetail };

/**
 * Is called for the values of a text while it is scanned. `depth` is the number of brackets around the value; `at`,
 * `from` and `to` are byte positions. An excess returned by `valueBegins` ends the scan.
 */
export type JsonVisitor = {
  valueBegins(depth: number, at: number, firstByte: number): ErrorDetail | undefined;
  valueEnds?(depth: number, to: number): void;
  nameEnds?(depth: number, from: number, to: number): void;
};

/** Levels of brackets that any body may have. */
export const DEPTH_MAX = 64;

/**
 * Checks a JSON text (RFC 8259) that arrives in pieces, and builds nothing. It needs the same memory for every text, and
 * finds a problem in exactly the texts that `JSON.parse` refuses or that are nested more than `DEPTH_MAX` levels deep. A
 * byte order mark at the start is skipped. It does not check that strings are UTF-8.
 */
export class JsonScanner {
  readonly #visitor: JsonVisitor;
  /** For each open bracket: 1 for an object, 0 for an array. */
  readonly #isObject = new Uint8Array(DEPTH_MAX + 1);
  #depth = 0;
  #state = START;
  /** The bytes of the pieces before the current one. */
  #before = 0;
  /** Where the current string, number or literal begins. */
  #tokenFrom = 0;
  #isName = false;
  /** Hexadecimal digits of an escape that are still missing. */
  #digitsLeft = 0;
  #number = 0;
  #literal: Uint8Array = new Uint8Array();
  #problem: JsonProblem | undefined;

  constructor(visitor: JsonVisitor) {
    this.#visitor = visitor;
  }

  /** Scans the next piece. Returns the first problem of the text so far. */
  push(piece: Uint8Array): JsonProblem | undefined {
    let at = 0;
    while (at < piece.length && this.#problem === undefined) {
      switch (this.#state) {
        case TEXT:
          at = this.#readText(piece, at);
          break;
        case ESCAPE:
          at = this.#readEscape(piece, at);
          break;
        case NUMBER:
          at = this.#readNumber(piece, at);
          break;
        case LITERAL:
          at = this.#readLiteral(piece, at);
          break;
        case START:
        case MARK:
          at = this.#readMark(piece, at);
          break;
        default:
          at = this.#readToken(piece, at);
      }
    }
    this.#before += piece.length;
    return this.#problem;
  }

  /** The text is complete. Returns its first problem. */
  end(): JsonProblem | undefined {
    if (this.#problem !== undefined) return this.#problem;
    if (this.#state === NUMBER && this.#number >= LEADING_ZERO) this.#endValue(this.#before);
    if (this.#state === END) return undefined;
    const isInText = this.#state === TEXT || this.#state === ESCAPE;
    return this.#refuse(this.#before, isInText ? "the text ends inside a string" : "the text ends unexpectedly");
  }

  #readToken(piece: Uint8Array, from: number): number {
    let at = from;
    let byte = piece[at];
    while (byte === SPACE || byte === LINE_FEED || byte === RETURN || byte === TAB) byte = piece[++at];
    if (byte === undefined) return at;
    const state = this.#state;
    if (byte === QUOTE && state <= FIRST_NAME) {
      this.#isName = state === NAME || state === FIRST_NAME;
      if (!this.#isName) this.#beginValue(at, byte);
      this.#tokenFrom = this.#before + at;
      this.#state = TEXT;
    } else if (byte === COMMA && state === AFTER_VALUE) {
      this.#state = this.#isObject[this.#depth] === 1 ? NAME : VALUE;
    } else if (byte === COLON && state === AFTER_NAME) {
      this.#state = VALUE;
    } else if ((byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) && this.#closes(byte)) {
      this.#depth -= 1;
      this.#endValue(this.#before + at + 1);
    } else if (state === VALUE || state === FIRST_VALUE) {
      this.#readValue(piece, at, byte);
    } else {
      this.#refuse(this.#before + at, explain(EXPECTED[state] ?? "value", piece, at));
    }
    return at + 1;
  }

  #closes(byte: number): boolean {
    const { [this.#depth]: isObject } = this.#isObject;
    const state = this.#state;
    if (this.#depth === 0 || (isObject === 1) !== (byte === CLOSE_OBJECT)) return false;
    return state === AFTER_VALUE || state === FIRST_NAME || state === FIRST_VALUE;
  }

  #readValue(piece: Uint8Array, at: number, byte: number): void {
    const literal = LITERALS[byte];
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      this.#beginValue(at, byte);
      if (this.#depth === DEPTH_MAX) {
        this.#problem ??= { excess: TOO_DEEP };
        return;
      }
      this.#depth += 1;
      this.#isObject[this.#depth] = byte === OPEN_OBJECT ? 1 : 0;
      this.#state = byte === OPEN_OBJECT ? FIRST_NAME : FIRST_VALUE;
    } else if (literal !== undefined) {
      this.#beginValue(at, byte);
      this.#literal = literal;
      this.#tokenFrom = this.#before + at;
      this.#state = LITERAL;
    } else if (byte === MINUS || (byte >= ZERO && byte <= NINE)) {
      this.#beginValue(at, byte);
      this.#number = byte === MINUS ? SIGN : byte === ZERO ? LEADING_ZERO : INTEGER;
      this.#tokenFrom = this.#before + at;
      this.#state = NUMBER;
    } else {
      this.#refuse(this.#before + at, explain(EXPECTED[this.#state] ?? "value", piece, at));
    }
  }

  #readText(piece: Uint8Array, from: number): number {
    let at = from;
    while (at < piece.length && PLAIN[piece[at] as number] === 1) at++;
    if (at === piece.length) return at;
    const byte = piece[at] as number;
    if (byte === QUOTE) this.#endText(this.#before + at + 1);
    else if (byte === BACKSLASH) this.#state = ESCAPE;
    else this.#refuse(this.#before + at, "line breaks and control characters in strings must be escaped, such as \\n");
    return at + 1;
  }

  #readEscape(piece: Uint8Array, from: number): number {
    let at = from;
    const byte = piece[at++] as number;
    const at0 = this.#before + from;
    if (this.#digitsLeft > 0) {
      if (HEX[byte] !== 1) this.#refuse(at0 - (5 - this.#digitsLeft) - 1, "unknown escape sequence");
      this.#digitsLeft -= 1;
    } else if (byte === LETTER_U) {
      this.#digitsLeft = 4;
    } else if (ESCAPED[byte] !== 1) {
      this.#refuse(at0 - 1, "unknown escape sequence");
    }
    if (this.#digitsLeft === 0) this.#state = TEXT;
    return at;
  }

  #endText(to: number): void {
    if (this.#isName) {
      this.#state = AFTER_NAME;
      this.#visitor.nameEnds?.(this.#depth, this.#tokenFrom, to);
    } else {
      this.#endValue(to);
    }
  }

  #readNumber(piece: Uint8Array, from: number): number {
    let at = from;
    while (at < piece.length) {
      const next = NUMBER_STEPS[this.#number * 256 + (piece[at] as number)] as number;
      if (next === 0) {
        // The byte belongs to what follows the number.
        if (this.#number >= LEADING_ZERO) this.#endValue(this.#before + at);
        else this.#refuse(this.#tokenFrom, EXPECTED_VALUE);
        return at;
      }
      this.#number = next;
      at++;
    }
    return at;
  }

  #readLiteral(piece: Uint8Array, from: number): number {
    let at = from;
    while (at < piece.length) {
      const index = this.#before + at - this.#tokenFrom;
      if (piece[at] !== this.#literal[index]) {
        this.#refuse(this.#tokenFrom, EXPECTED_VALUE);
        return at;
      }
      at++;
      if (index === this.#literal.length - 1) {
        this.#endValue(this.#before + at);
        return at;
      }
    }
    return at;
  }

  #readMark(piece: Uint8Array, from: number): number {
    const index = this.#before + from;
    if (piece[from] === BYTE_ORDER_MARK[index]) {
      this.#state = index === 2 ? VALUE : MARK;
      return from + 1;
    }
    this.#state = VALUE;
    if (index > 0) this.#refuse(0, EXPECTED_VALUE);
    return from;
  }

  #beginValue(at: number, byte: number): void {
    const excess = this.#visitor.valueBegins(this.#depth, this.#before + at, byte);
    if (excess !== undefined) this.#problem = { excess };
  }

  #endValue(to: number): void {
    this.#state = this.#depth > 0 ? AFTER_VALUE : END;
    this.#visitor.valueEnds?.(this.#depth, to);
  }

  #refuse(at: number, message: string): JsonProblem {
    this.#problem ??= { at, message };
    return this.#problem;
  }
}

// What may come next. The first four may begin with a quotation mark; FIRST… follows an opening bracket.
const VALUE = 0;
const FIRST_VALUE = 1;
const NAME = 2;
const FIRST_NAME = 3;
const AFTER_NAME = 4;
const AFTER_VALUE = 5;
const END = 6;
const TEXT = 7;
const ESCAPE = 8;
const NUMBER = 9;
const LITERAL = 10;
const START = 11;
const MARK = 12;

const EXPECTED: (Expected | undefined)[] = ["value", "value", "name", "firstName", "colon", "comma", "end"];

const TOO_DEEP = { path: "", message: `must be nested at most ${DEPTH_MAX} levels deep` };
