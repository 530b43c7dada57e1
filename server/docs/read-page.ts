import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type DocPage, isForOperators } from "./pages.ts";

/** The base address that the files of docs/ use in their examples. */
const EXAMPLE_ORIGIN = "http://localhost:3000";

/**
 * The Markdown of a page, with `baseUrl` in its examples. The pages for operators keep the address that `npm
 * start` listens on. next.config.ts puts the files into the build.
 */
export async function readDocPage(page: DocPage, baseUrl: string): Promise<string> {
  const text = await readFile(join(process.cwd(), "docs", page.file), "utf8");
  return isForOperators(page) ? text : text.replaceAll(EXAMPLE_ORIGIN, baseUrl);
}
