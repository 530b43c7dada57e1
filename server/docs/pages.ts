import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readFront } from "./front.ts";

/** One page of the documentation: the file `<slug>.md` of docs/. Title and description are its first heading and sentence. */
export type DocPage = { slug: string; title: string; description: string };

export type DocGroup = { title: string; pages: readonly DocPage[] };

const OPERATE = "Operate";

/** The order of the pages, by group. One whose file is not there is left out. */
const SLUGS: readonly (readonly [title: string, slugs: readonly string[]])[] = [
  ["Start", ["overview", "quickstart", "local-development", "test-mode"]],
  [
    "Send",
    [
      ...["schedule", "times", "payload", "idempotency", "by-key", "bulk", "cancel-and-move", "replay-and-clone"],
      "many-schedules",
      "recurrences",
    ],
  ],
  ["Delivery", ["states", "retries", "delivery-options", "rate", "punctuality", "early-firing", "at-least-once"]],
  ["Receive", ["signing", "receivers", "de-duplicate", "rotate-secrets", "testing"]],
  ["Tools", ["sdk", "command-line", "mcp", "api-keys", "export-and-import"]],
  [
    OPERATE,
    [
      ...["self-hosting", "one-machine", "containers", "vercel", "own-database", "settings", "people"],
      ...["operations", "scaling", "security", "data", "upgrades"],
    ],
  ],
  ["Reference", ["errors", "limits", "changelog", "glossary"]],
  [
    "Choosing",
    [
      ...["comparison", "when-not", "coming-from-qstash", "coming-from-eventbridge", "coming-from-posthook"],
      ...["coming-from-pg-boss", "coming-from-cron", "coming-from-crontab", "troubleshooting"],
    ],
  ],
];

/** Slugs that pages had before, and what they are now. */
const FORMER = new Map([["signatures", "signing"]]);

/** The pages by the group that the navigation shows them in. */
export const DOC_GROUPS: readonly DocGroup[] = SLUGS.map(([title, slugs]) => ({
  title,
  pages: slugs.flatMap(readPage),
})).filter(({ pages }) => pages.length > 0);

/** Every page, in the order of the navigation. */
export const DOC_PAGES: readonly DocPage[] = DOC_GROUPS.flatMap(({ pages }) => pages);

export function findDocPage(slug: string): DocPage | undefined {
  return DOC_PAGES.find((page) => page.slug === slug);
}

/** The page that had this slug before; undefined when none had. */
export function findMovedPage(slug: string): DocPage | undefined {
  return findDocPage(FORMER.get(slug) ?? "");
}

/** Whether a page is for those who run an installation. */
export function isForOperators(page: DocPage): boolean {
  return DOC_GROUPS.some(({ title, pages }) => title === OPERATE && pages.includes(page));
}

/** Where a page is on this site. The first one is the start page. */
export function docHref(page: DocPage): string {
  return page === DOC_PAGES[0] ? "/docs" : `/docs/${page.slug}`;
}

/** The reference of the API with the operations alone that take an API key. */
export const FOR_KEY_HREF = "/docs/api?for=key";

/** Where the Markdown of a page is on this site. */
export function docMarkdownHref({ slug }: DocPage): string {
  return `/docs/${slug}.md`;
}

/** The URL on this site of a link within docs/; null when this site does not serve that file. */
export function linkFromDoc(href: string): string | null {
  if (/^(https?:|#)/.test(href)) return href;
  const [file = "", anchor] = href.split("#");
  const page = findDocPage(file.replace(/\.md$/, ""));
  if (page === undefined) return null;
  return anchor === undefined ? docHref(page) : `${docHref(page)}#${anchor}`;
}

/** The file of a page. next.config.ts puts the files into the build. */
export function docFile(slug: string): string {
  return join(process.cwd(), "docs", `${slug}.md`);
}

function readPage(slug: string): DocPage[] {
  const file = docFile(slug);
  return existsSync(file) ? [{ slug, ...readFront(readFileSync(file, "utf8")) }] : [];
}
