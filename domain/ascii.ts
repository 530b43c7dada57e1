/**
 * Lower-cases A-Z only. `toLowerCase` also turns the Kelvin sign (U+212A) into the letter k, so a folded text could
 * pass a check that the text itself fails.
 */
export function foldAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** A text without ASCII white space at its ends. `trim` removes the spaces of Unicode too. */
export function trimAscii(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text, start)) start++;
  while (end > start && isSpace(text, end - 1)) end--;
  return text.slice(start, end);
}

const isSpace = (text: string, at: number) => " \t\n\f\r".includes(text.charAt(at));
