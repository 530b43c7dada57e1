import { DOC_PAGES, type DocPage } from "./pages.ts";

const PAGES_MAX = 5;

/** The first pages of the documentation that have every word of `text` in their title or slug, in any letter case. */
export function findDocPages(text: string): DocPage[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (name: string) => words.every((word) => name.toLowerCase().includes(word));
  return DOC_PAGES.filter(({ title, slug }) => has(`${title} ${slug}`)).slice(0, PAGES_MAX);
}
