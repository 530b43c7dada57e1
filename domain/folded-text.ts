/**
 * A text as it is compared, in three ways, each of which withstands something that a target may do to what it repeats: `all`
 * of it, without case and accents; `dense`, also without white space, for which an escape such as \\n counts; `words`,
 * letters and digits alone. One code stands for one UTF-16 code unit.
 */
export type FoldedText = Record<Fold, Uint16Array>;
export type Fold = (typeof FOLDS)[number];
export const FOLDS = ["all", "dense", "words"] as const;

/** The code of white space, and of what is invisible or could not be decoded. */
export const BLANK = 0x20;

export function foldText(text: string): FoldedText {
  const room = () => new Uint16Array(text.length);
  return foldInto(unitsOf(text), room(), room(), room());
}

/** The codes of a long text, in memory that the next call uses again. */
export function foldBriefly(text: string): FoldedText {
  if (scratch.length < 3 * text.length) scratch = new Uint16Array(3 * text.length);
  const room = (at: number) => scratch.subarray(at * text.length, (at + 1) * text.length);
  return foldInto(unitsOf(text), room(0), room(1), room(2));
}

/** The place in the text of each code of its fold. */
export function foldPlaces(text: string, fold: Fold): number[] {
  const places = [];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const known = TABLE[unit] || classify(unit);
    if (fold !== "all" && unit === BACKSLASH && isEscape(text.charCodeAt(at + 1))) at++;
    else if (fold === "all" || (known >>> (fold === "dense" ? DENSE_BIT : WORDS_BIT)) & 1) places.push(at);
  }
  return places;
}

/** Codes as a string, to search in. */
export const codesText = (codes: Uint16Array): string =>
  Buffer.from(codes.buffer, codes.byteOffset, codes.byteLength).toString("utf16le");

let scratch = new Uint16Array(0);

// A code that does not count is overwritten by the next one.
function foldInto(units: Uint16Array, all: Uint16Array, dense: Uint16Array, words: Uint16Array): FoldedText {
  let denseLength = 0;
  let wordsLength = 0;
  for (let at = 0; at < units.length; at++) {
    const unit = units[at] as number;
    let known = TABLE[unit] || classify(unit);
    if (unit === BACKSLASH && isEscape(units[at + 1])) {
      all[at++] = BLANK;
      known = BLANK;
    }
    all[at] = known;
    dense[denseLength] = known;
    words[wordsLength] = known;
    denseLength += (known >>> DENSE_BIT) & 1;
    wordsLength += known >>> WORDS_BIT;
  }
  return { all, dense: dense.subarray(0, denseLength), words: words.subarray(0, wordsLength) };
}

/** For each code unit its code, and which folds it counts in; 0 until it is first met. */
const TABLE = new Int32Array(1 << 16);
const [KNOWN_BIT, DENSE_BIT, WORDS_BIT] = [16, 17, 18] as const;

function classify(unit: number): number {
  const text = String.fromCharCode(unit);
  const isSurrogate = !text.isWellFormed();
  const isBlank = !isSurrogate && /[\s\\\p{C}\p{M}\ufffd]/u.test(text);
  const isWord = isSurrogate || /[\p{L}\p{N}]/u.test(text);
  const code = isBlank ? BLANK : text.normalize("NFKD").toLowerCase().charCodeAt(0);
  TABLE[unit] = code | (1 << KNOWN_BIT) | (Number(!isBlank) << DENSE_BIT) | (Number(!isBlank && isWord) << WORDS_BIT);
  return TABLE[unit] as number;
}

function unitsOf(text: string): Uint16Array {
  const bytes = Buffer.allocUnsafeSlow(2 * text.length);
  bytes.write(text, "utf16le");
  return new Uint16Array(bytes.buffer, 0, text.length);
}

const BACKSLASH = 0x5c;
const ESCAPES = new Set([..."nrtbfv"].map((letter) => letter.charCodeAt(0)));
const isEscape = (unit: number | undefined) => unit !== undefined && ESCAPES.has(unit);
