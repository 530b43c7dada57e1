import type { DocText } from "./search-docs.ts";

/** A page of the documentation that an installation serves as Markdown. */
export type DocPage = { title: string; url: string; description: string };

/** The documentation of an installation, for its own version. Nothing else of it can be read by these functions. */
export type Docs = {
  /** What /llms.txt is at. */
  summaryUrl: string;
  pages(): Promise<DocPage[]>;
  /** The Markdown of a page or of the summary. Throws for an address that is neither. */
  read(url: string): Promise<string>;
  readAll(): Promise<DocText[]>;
};

export function createDocs(baseUrl: string): Docs {
  const summaryUrl = `${baseUrl}/llms.txt`;
  const load = cached(loadText);
  const pages = async () => pagesIn(await load(summaryUrl), baseUrl);
  return {
    summaryUrl,
    pages,
    async read(url) {
      const known = [summaryUrl, ...(await pages()).map((page) => page.url)];
      if (!known.includes(url)) throw new Error(`There is no such page. ${summaryUrl} lists all.`);
      return load(url);
    },
    readAll: async () => textsIn(await load(`${baseUrl}/llms-full.txt`), baseUrl),
  };
}

/**
 * The pages that an llms.txt lists as Markdown. It names them by the public address of the installation; they are read at
 * the one that this program knows.
 */
function pagesIn(summary: string, baseUrl: string): DocPage[] {
  return summary.split("\n").flatMap((line) => {
    const [, title = "", path = "", description = ""] = PAGE_LINE.exec(line) ?? [];
    return path === "" ? [] : [{ title, url: baseUrl + path, description }];
  });
}

const PAGE_LINE = /^- \[(.+?)\]\(https?:\/\/\S+?(\/docs\/[\w-]+\.md)\)(?:: (.*))?$/;

/** The pages in an llms-full.txt: the Markdown of each after a line with its address. */
function textsIn(full: string, baseUrl: string): DocText[] {
  return full.split(/^---\n\nPage: /m).flatMap((part) => {
    const [, path, text = ""] = /^https?:\/\/\S+?(\/docs\/[\w-]+\.md)\n\n([\s\S]+)/.exec(part) ?? [];
    return path === undefined ? [] : [{ title: /^# (.+)$/m.exec(text)?.[1] ?? path, url: baseUrl + path, text }];
  });
}

async function loadText(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(LOAD_MS_MAX) }).catch((cause) => {
    throw new Error(`${url} cannot be reached.`, { cause });
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}.`);
  return response.text();
}

const LOAD_MS_MAX = 10_000;

/** Remembers each text for ten minutes, so that a search asks once, and a new version is seen. */
function cached(load: (url: string) => Promise<string>): (url: string) => Promise<string> {
  const known = new Map<string, { text: Promise<string>; untilMs: number }>();
  return (url) => {
    const found = known.get(url);
    if (found !== undefined && found.untilMs > performance.now()) return found.text;
    const text = load(url);
    known.set(url, { text, untilMs: performance.now() + KEPT_MS });
    text.catch(() => known.delete(url));
    return text;
  };
}

const KEPT_MS = 600_000;
