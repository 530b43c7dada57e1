import { createHash } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readReference, referenceHref } from "../../reference/reference.ts";
import { withoutMarkdown } from "../front.ts";
import { DOC_PAGES, docFile, docHref } from "../pages.ts";
import { sectionsOf } from "./sections.ts";
import { wordsOf } from "./words.ts";

/** A place that a search can find. */
export type Place = { href: string; page: string; heading: string; text: string; code: string };

export type SearchIndex = {
  /** The SHA-256 of the pages from which it was made. */
  made: string;
  places: readonly Place[];
  /** For each form of a word, the places that have it, each with its weight there. */
  words: Readonly<Record<string, readonly (readonly [place: number, weight: number])[]>>;
};

const WEIGHTS = { page: 12, ofPage: 1, heading: 6, text: 1, code: 0.5 };

/** An inverted index of all pages of /docs and the operations of the API. Takes about 0.2 s. */
export function makeIndex(): SearchIndex {
  const places = [...DOC_PAGES.flatMap(placesOf), ...operations()];
  const words = new Map<string, Map<number, number>>();
  for (const [at, { page, heading, text, code }] of places.entries()) {
    const add = (field: string, weight: number) => {
      for (const form of wordsOf(field).flatMap(({ forms }) => forms)) {
        const weights = words.get(form) ?? new Map<number, number>();
        words.set(form, weights.set(at, (weights.get(at) ?? 0) + weight));
      }
    };
    add(page, page === heading ? WEIGHTS.page : WEIGHTS.ofPage);
    if (page !== heading) add(heading, WEIGHTS.heading);
    add(text, WEIGHTS.text);
    add(code, WEIGHTS.code);
  }
  return { made: hashPages(), places, words: Object.fromEntries([...words].map(([form, at]) => [form, [...at]])) };
}

/** Writes the index for `readIndex`. Builds do so. */
export function writeIndex(): void {
  writeFileSync(`${FILE}.${process.pid}`, JSON.stringify(makeIndex()));
  renameSync(`${FILE}.${process.pid}`, FILE);
}

/** The index of the build, or a new one when pages have changed since. */
export function readIndex(): SearchIndex {
  index ??= readBuilt() ?? makeIndex();
  return index;
}

let index: SearchIndex | undefined;

const FILE = join(process.cwd(), "docs", "search.json");

function readBuilt(): SearchIndex | undefined {
  try {
    const built: SearchIndex = JSON.parse(readFileSync(FILE, "utf8"));
    return built.made === hashPages() ? built : undefined;
  } catch {
    return undefined;
  }
}

function hashPages(): string {
  const hash = createHash("sha256");
  for (const { slug } of DOC_PAGES) hash.update(readFileSync(docFile(slug)));
  return hash.digest("hex");
}

function placesOf(page: (typeof DOC_PAGES)[number]): Place[] {
  return sectionsOf(readFileSync(docFile(page.slug), "utf8")).map(({ anchor, ...section }) => ({
    ...section,
    href: anchor === null ? docHref(page) : `${docHref(page)}#${anchor}`,
    page: page.title,
  }));
}

function operations(): Place[] {
  return readReference("").flatMap((group) =>
    group.operations.map(({ id, method, path, summary, description = "" }) => ({
      href: `${referenceHref(group)}#${id}`,
      page: `API: ${group.title}`,
      heading: `${method} ${path}`,
      text: withoutMarkdown(`${summary} ${description}`).trim(),
      code: "",
    })),
  );
}
