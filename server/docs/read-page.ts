import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { DocPage } from "./pages.ts";

/** The base address that the files of docs/ use in their examples. */
const EXAMPLE_ORIGIN = "http://localhost:3000";

/**
 * The Markdown of a page, with `baseUrl` in its examples. The description of self-hosting keeps the address that `npm
 * start` listens on. next.config.ts puts the files into the build.
 */
export async function readDocPage({ file, slug }: DocPage, baseUrl: string): Promise<string> {
  const text = await readFile(join(process.cwd(), "docs", file), "utf8");
  return slug === "self-hosting" ? text : text.replaceAll(EXAMPLE_ORIGIN, baseUrl);
}
