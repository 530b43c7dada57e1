import type { FilterName } from "#domain/filters.ts";
import { parseLateRange } from "#domain/late-range.ts";
import { formatLateRange } from "./late-range.ts";

/** The texts of filters, as their parameters have them; null or undefined: any. */
export type FilterTexts = { readonly [Name in FilterName]?: string | null | undefined };

type Words = {
  /** Above a list that is narrowed by it. */
  chip(text: string): string;
  /** Behind "all scheduled ones". */
  phrase(text: string): string;
};

/** In the order in which pages name them. */
const WORDS: Record<FilterName, Words> = {
  host: { chip: (host) => `Host: ${host}`, phrase: (host) => `to ${host}` },
  code: {
    chip: (code) => `Code: ${code === "none" ? "No answer" : code}`,
    phrase: (code) => (code === "none" ? "last without an answer" : `last answered ${code}`),
  },
  late: { chip: (late) => `Late: ${lateInWords(late)}`, phrase: (late) => `${late} ms late` },
  idempotency_key: {
    chip: (key) => `Idempotency key: ${key}`,
    phrase: (key) => `with the idempotency key “${key}”`,
  },
  operation: { chip: (id) => `Copies of ${id}`, phrase: (id) => `made by ${id}` },
  recurrence: { chip: (key) => `Recurrence: ${key}`, phrase: (key) => `of the recurrence “${key}”` },
};

/** The active filters with their words. */
export function filtersInWords(texts: FilterTexts): { name: FilterName; chip: string; phrase: string }[] {
  return (Object.keys(WORDS) as FilterName[]).flatMap((name) => {
    const text = texts[name];
    return text ? [{ name, chip: WORDS[name].chip(text), phrase: WORDS[name].phrase(text) }] : [];
  });
}

/** A range of lateness in words; text that is none as it is. */
export function lateInWords(text: string): string {
  const range = parseLateRange(text);
  return range === null ? text : formatLateRange(range);
}
