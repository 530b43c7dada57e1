/** Prepares a text for storage: replaces NUL and lone surrogates by U+FFFD and keeps the first 1,024 code points. */
export function cleanErrorText(raw: string): string {
  const start = raw
    .slice(0, 2 * TEXT_LENGTH_MAX)
    .toWellFormed()
    .replaceAll("\0", "\uFFFD");
  return firstCharacters(start);
}

/** The most characters (code points) that are kept of an answer. */
export const TEXT_LENGTH_MAX = 1024;
/** The first code points of a text. */
export function firstCharacters(raw: string, count = TEXT_LENGTH_MAX): string {
  return Array.from(raw.slice(0, 2 * count))
    .slice(0, count)
    .join("");
}
