import { isFoundBy, type Word, wordsOf } from "./words.ts";

/** A part of a text; `isFound` when a search was for it. */
export type Piece = { text: string; isFound: boolean };

const CHARS_BEFORE = 60;
const CHARS_MAX = 220;

/** The part of a text around the first words that were looked for, or of its code when its text has none of them. */
export function excerptOf(text: string, code: string, terms: readonly string[]): Piece[] {
  const [source, first] = [text, code.replaceAll(/\s+/g, " ")]
    .map((one) => [one, foundIn(one, terms)[0]?.at] as const)
    .find(([, at]) => at !== undefined) ?? [text, 0];
  const begin = first === undefined || first <= CHARS_BEFORE ? 0 : source.indexOf(" ", first - CHARS_BEFORE) + 1;
  const end = source.length - begin <= CHARS_MAX ? source.length : source.lastIndexOf(" ", begin + CHARS_MAX);
  const shown = source.slice(begin, end > begin ? end : begin + CHARS_MAX);
  return markedPieces(`${begin > 0 ? "… " : ""}${shown}${begin + shown.length < source.length ? " …" : ""}`, terms);
}

/** A text, with the words that were looked for as pieces of their own. */
export function markedPieces(text: string, terms: readonly string[]): Piece[] {
  let at = 0;
  const pieces = foundIn(text, terms).flatMap((word) => {
    const before = text.slice(at, word.at);
    at = word.at + word.length;
    return [
      { text: before, isFound: false },
      { text: text.slice(word.at, at), isFound: true },
    ];
  });
  return [...pieces, { text: text.slice(at), isFound: false }].filter((piece) => piece.text !== "");
}

const foundIn = (text: string, terms: readonly string[]): Word[] =>
  wordsOf(text).filter(({ forms }) => forms.some((form) => terms.some((term) => isFoundBy(form, term))));
