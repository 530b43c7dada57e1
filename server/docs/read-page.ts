import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type DocPage, docFile, isForOperators } from "./pages.ts";

/** The base address that the files of docs/ use in their examples. */
const EXAMPLE_ORIGIN = "http://localhost:3000";

/**
 * The Markdown of a page, with `baseUrl` in its examples. The pages for operators keep the address that `npm
 * start` listens on. The page about versions ends with CHANGELOG.md.
 */
export async function readDocPage(page: DocPage, baseUrl: string): Promise<string> {
  const text = await readFile(docFile(page.slug), "utf8");
  if (page.slug === "changelog") return `${text}\n${await readChanges()}`;
  return isForOperators(page) ? text : text.replaceAll(EXAMPLE_ORIGIN, baseUrl);
}

/** The versions of CHANGELOG.md, with links as the pages of docs/ have them. */
async function readChanges(): Promise<string> {
  const text = await readFile(join(process.cwd(), "CHANGELOG.md"), "utf8");
  return text.slice(text.indexOf("\n## ") + 1).replaceAll("](docs/", "](");
}
