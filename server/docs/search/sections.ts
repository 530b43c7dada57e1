import { headingId } from "#domain/heading-id.ts";
import { withoutMarkdown } from "../front.ts";

/** A part of a page, from one heading to the next. `anchor` is null at the beginning of the page. */
export type Section = { anchor: string | null; heading: string; text: string; code: string };

/** The sections of a page in Markdown. The first one has the page's title as its heading. */
export function sectionsOf(markdown: string): Section[] {
  const counts = new Map<string, number>();
  const sections: (Omit<Section, "text" | "code"> & { text: string[]; code: string[] })[] = [];
  let isCode = false;
  for (const line of markdown.split("\n")) {
    if (/^\s*```/.test(line)) {
      isCode = !isCode;
      continue;
    }
    const [, depth = "", heading = ""] = (!isCode && /^(#{1,6}) (.+)$/.exec(line)) || [];
    if (heading !== "") {
      const plain = withoutMarkdown(heading);
      const id = headingId(plain, counts);
      sections.push({ anchor: depth === "#" ? null : id, heading: plain, text: [], code: [] });
    } else sections.at(-1)?.[isCode ? "code" : "text"].push(line);
  }
  return sections.map(({ text, code, ...rest }) => ({ ...rest, text: plainOf(text), code: code.join("\n").trim() }));
}

/** Prose without the marks of lists, quotes and tables. */
function plainOf(lines: readonly string[]): string {
  const plain = lines
    .filter((line) => !/^\s*\|?[\s|:-]*$/.test(line) || line.trim() === "")
    .map((line) =>
      line
        .replace(/^\s*(?:[-*>]|\d+\.) /, "")
        .replaceAll(/(?:^\|\s*)|(?:\s*\|\s*$)/g, "")
        .replaceAll(/\s*\|\s*/g, " · "),
    );
  return withoutMarkdown(plain.join("\n")).trim();
}
