import { invalid } from "#contract/inputs/validate.ts";
import type { ErrorDetail } from "#domain/errors.ts";
import { BYTE_ORDER_MARK } from "./json-bytes.ts";
import { TextPosition } from "./json-problem.ts";
import { type JsonProblem, JsonScanner, type JsonVisitor } from "./json-scanner.ts";
import type { ReceivedBytes } from "./received-bytes.ts";
import { ShortTurns } from "./short-turns.ts";
import { Utf8Check } from "./utf8-check.ts";

/** Values inside the brackets of one body, or of one item of a list: members of objects and elements of arrays. */
export const VALUES_MAX = 2_000;

/** A JSON text in UTF-8 that is checked as it arrives. Nothing of it is parsed before it is complete and valid. */
export class JsonText {
  readonly #utf8 = new Utf8Check();
  readonly #scanner: JsonScanner;
  #isUtf8 = true;
  #problem: JsonProblem | undefined;

  constructor(visitor: JsonVisitor) {
    this.#scanner = new JsonScanner(visitor);
  }

  /** Checks the next piece. Throws VALIDATION as soon as a limit is exceeded; `finish` reports bad syntax. */
  push(piece: Uint8Array): void {
    if (!this.#isUtf8 || this.#problem !== undefined) return;
    this.#isUtf8 = this.#utf8.push(piece);
    if (this.#isUtf8) this.#take(this.#scanner.push(piece));
  }

  /** Throws VALIDATION unless the text, which consists of `bytes`, is complete and valid. */
  async finish(bytes: ReceivedBytes): Promise<void> {
    if (!this.#isUtf8 || !this.#utf8.end()) throw invalid([{ path: "", message: "The body is not valid UTF-8." }]);
    this.#take(this.#problem ?? this.#scanner.end());
    if (this.#problem === undefined || !("at" in this.#problem)) return;
    const { at, message } = this.#problem;
    throw invalid([{ path: "", message: `The body is not valid JSON at ${await positionOf(bytes, at)}: ${message}.` }]);
  }

  #take(problem: JsonProblem | undefined): void {
    if (problem !== undefined && "excess" in problem) throw invalid([problem.excess]);
    this.#problem = problem;
  }
}

/** The value of a valid JSON text in UTF-8. */
export function parseJson(bytes: Buffer): unknown {
  return JSON.parse(bytes.toString("utf8", markBytes(bytes)));
}

/** The error for more than `VALUES_MAX` values in the part that `path` names. */
export function tooManyValues(path: string): ErrorDetail {
  return { path, message: `must have at most ${VALUES_MAX} names and elements` };
}

async function positionOf(bytes: ReceivedBytes, at: number): Promise<string> {
  const position = new TextPosition();
  const turns = new ShortTurns();
  for (let from = markBytes(bytes.slice(0, 3)); from < at; from += PIECE_BYTES) {
    position.pass(bytes.slice(from, Math.min(at, from + PIECE_BYTES)));
    if (turns.isOver) await turns.next();
  }
  return position.toString();
}

const PIECE_BYTES = 256 * 1024;

/** The bytes of the byte order mark that a text begins with. */
function markBytes(bytes: Uint8Array): number {
  return BYTE_ORDER_MARK.every((byte, index) => bytes[index] === byte) ? BYTE_ORDER_MARK.length : 0;
}
