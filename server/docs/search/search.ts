import { didYouMean } from "#domain/did-you-mean.ts";
import { excerptOf, markedPieces, type Piece } from "./excerpt.ts";
import { type Place, readIndex, type SearchIndex } from "./index.ts";
import { isFoundBy, termsOf, wordsOf } from "./words.ts";

export const QUERY_CHARS_MAX = 200;
const SHOWN_MAX = 20;
const SHOWN_OF_PAGE_MAX = 3;

export type Hit = { href: string; page: string; heading: readonly Piece[]; excerpt: readonly Piece[] };

/**
 * What a search has found: nothing was asked, the query cannot be looked for, or the best places. `has` says whether they
 * have all words of the query, or only some. `near` is a query
 * with a word of the documentation in place of one that it has not.
 */
export type SearchResult =
  | { kind: "nothing-asked" }
  | { kind: "too-long" }
  | { kind: "no-words" }
  | { kind: "found"; hits: readonly Hit[]; has: "all" | "some"; near: string | undefined };

/** Searches the documentation. Titles and headings count more than text, and text more than code. */
export function searchDocs(query: string, index: SearchIndex = readIndex()): SearchResult {
  if (query.trim() === "") return { kind: "nothing-asked" };
  if (query.length > QUERY_CHARS_MAX) return { kind: "too-long" };
  const terms = termsOf(query, (form) => Object.hasOwn(index.words, form));
  if (terms.length === 0) return { kind: "no-words" };

  const scores = terms.map((term) => scoresOf(term, index));
  const sums = new Map<number, { score: number; count: number }>();
  for (const one of scores) {
    for (const [place, score] of one) {
      const sum = sums.get(place) ?? { score: 0, count: 0 };
      sums.set(place, { score: sum.score + score, count: sum.count + 1 });
    }
  }
  const most = Math.max(0, ...[...sums.values()].map(({ count }) => count));
  const ranked = [...sums]
    .filter(([, { count }]) => count === most)
    .sort(([a, { score: ofA }], [b, { score: ofB }]) => ofB - ofA || a - b)
    .flatMap(([place]) => index.places[place] ?? []);
  return {
    kind: "found",
    hits: firstOfEachPage(ranked).map((place) => showHit(place, terms)),
    has: most === terms.length ? "all" : "some",
    near: nearQuery(
      query,
      terms.filter((_, at) => scores[at]?.size === 0),
      index,
    ),
  };
}

/** How well each place fits a term: more the rarer its words are, and less for each further mention (BM25). */
function scoresOf(term: string, { places, words }: SearchIndex): Map<number, number> {
  const scores = new Map<number, number>();
  for (const [form, found] of Object.entries(words)) {
    if (!isFoundBy(form, term)) continue;
    const rarity = Math.log(1 + (places.length - found.length + 0.5) / (found.length + 0.5));
    const fit = form === term ? 1 : PREFIX_FIT;
    for (const [place, weight] of found) {
      const score = (fit * rarity * weight) / (weight + HALF_WEIGHT);
      scores.set(place, Math.max(score, scores.get(place) ?? 0));
    }
  }
  return scores;
}

const PREFIX_FIT = 0.5;
const HALF_WEIGHT = 4;

function firstOfEachPage(ranked: readonly Place[]): Place[] {
  const counts = new Map<string, number>();
  const shown = ranked.filter(({ page }) => {
    const count = (counts.get(page) ?? 0) + 1;
    counts.set(page, count);
    return count <= SHOWN_OF_PAGE_MAX;
  });
  return shown.slice(0, SHOWN_MAX);
}

function showHit({ href, page, heading, text, code }: Place, terms: readonly string[]): Hit {
  const marked = markedPieces(heading, terms);
  const isInHeading = marked.some(({ isFound }) => isFound);
  return { href, page, heading: marked, excerpt: excerptOf(text, isInHeading && text !== "" ? "" : code, terms) };
}

/** The query with a word of the documentation in place of an unknown one; undefined when none is near. */
function nearQuery(query: string, unknown: readonly string[], index: SearchIndex): string | undefined {
  const known = Object.keys(index.words).filter((form) => form.length > 3);
  for (const { at, length, forms } of wordsOf(query)) {
    const near = forms.some((form) => unknown.includes(form)) && didYouMean(forms.at(-1) ?? "", known);
    if (near) return `${query.slice(0, at)}${wordOf(near, index)}${query.slice(at + length)}`;
  }
  return undefined;
}

/** The shortest word with this form in the first place that has it, in lower case. */
function wordOf(form: string, { places, words }: SearchIndex): string {
  const [[at = 0] = []] = words[form] ?? [];
  const { page = "", heading = "", text = "", code = "" } = places[at] ?? {};
  const whole = [page, heading, text, code].join(" ");
  const found = wordsOf(whole).filter(({ forms }) => forms.includes(form));
  const all = found.map((word) => whole.slice(word.at, word.at + word.length).toLowerCase());
  return all.toSorted((a, b) => a.length - b.length)[0] ?? form;
}
