import { DOC_PAGES, docMarkdownHref } from "./pages.ts";
import { readDocPage } from "./read-page.ts";

/** Today's pages take a fifth of it. */
const BYTES_MAX = 2_000_000;

/**
 * The content of /llms-full.txt: the Markdown of all pages in the order of the navigation, each after its address. Pages that
 * would make it larger than `bytesMax` bytes are named only.
 */
export async function readFullText(baseUrl: string, bytesMax: number = BYTES_MAX): Promise<string> {
  const parts = [`The documentation of Stopwatch, as one text. Its pages one by one: ${baseUrl}/llms.txt\n`];
  let bytes = Buffer.byteLength(parts[0] ?? "");
  for (const page of DOC_PAGES) {
    const address = `${baseUrl}${docMarkdownHref(page)}`;
    const part = `\n---\n\nPage: ${address}\n\n${(await readDocPage(page, baseUrl)).trim()}\n`;
    const isWhole = bytes + Buffer.byteLength(part) <= bytesMax;
    parts.push(isWhole ? part : `\n---\n\nPage: ${address} (left out: too long)\n`);
    bytes += Buffer.byteLength(parts.at(-1) ?? "");
  }
  return parts.join("");
}
