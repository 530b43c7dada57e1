/** A word of a text: where it stands there, and the forms by which it is found. */
export type Word = { at: number; length: number; forms: readonly string[] };

/**
 * The words of a text. They are compared without case, accents and English endings; `fireAt` is found as a whole and by its
 * parts.
 */
export function wordsOf(text: string): Word[] {
  return Array.from(text.matchAll(/[\p{L}\p{N}\p{M}]+/gu), ({ 0: word, index }) => {
    const parts = word.split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u);
    return { at: index, length: word.length, forms: [...new Set([...parts, word].map(stem))] };
  });
}

/**
 * The forms that a query looks for, without words that say nothing, unless it has no others. A word such as `fireAt` is looked
 * for by its parts where it is not known as a whole.
 */
export function termsOf(query: string, isKnown: (form: string) => boolean): string[] {
  const words = wordsOf(query).flatMap(({ forms }) => {
    const whole = forms.slice(-1);
    return forms.length === 1 || whole.every(isKnown) ? whole : forms.slice(0, -1);
  });
  const said = words.filter((word) => !SILENT.has(word));
  return [...new Set(said.length > 0 ? said : words)];
}

/** Whether a word begins as the term does. Short terms have to be the whole word. */
export function isFoundBy(form: string, term: string): boolean {
  return form === term || (term.length >= PREFIX_CHARS_MIN && form.startsWith(term));
}

const PREFIX_CHARS_MIN = 3;
const STEM_CHARS_MIN = 3;

function stem(word: string): string {
  const plain = word.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase().replaceAll("ß", "ss");
  const singular = plain.replace(/(?<=..)(?:ies|ied)$/, "y").replace(/(?<=[^s])s$/, "");
  const short = singular.replace(/(?:(?<=[^s])([^s])\1)?(?:ing|ed)$|e$/, "$1");
  return short.length >= STEM_CHARS_MIN ? short : singular;
}

const SILENT = new Set(
  [
    "a an and are as at be by can do does for from how i if in is it my of on or that the there this to was what when where",
    "which who why will with you your",
  ]
    .join(" ")
    .split(" ")
    .map(stem),
);
