/** A page of the documentation as Markdown. */
export type DocText = { title: string; url: string; text: string };

/**
 * The sections (what stands below one heading) that fit a query best: those with most of its words, then those that have
 * them in their heading or often. A word is found at the start of words, with or without an s at its end. The text of a
 * section is cut to 1,200 characters.
 */
export function searchDocs(pages: readonly DocText[], query: string, countMax: number): DocText[] {
  const words = new Set(query.toLowerCase().match(/[\p{L}\p{N}_-]{2,}/gu));
  const patterns = [...words].map((word) => new RegExp(`(?<![\\p{L}\\p{N}])${word.replace(/s$/, "")}`, "giu"));
  return pages
    .flatMap(sectionsOf)
    .map((section) => ({ section, score: scoreOf(section, patterns) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, countMax)
    .map(({ section }) => ({ ...section, text: cut(section.text) }));
}

function sectionsOf({ title, url, text }: DocText): DocText[] {
  const sections: { title: string; url: string; lines: string[] }[] = [{ title, url, lines: [] }];
  let isInFence = false;
  for (const line of text.split("\n")) {
    if (line.startsWith("```")) isInFence = !isInFence;
    const heading = isInFence ? undefined : /^#{2,3} (.+)/.exec(line)?.[1];
    if (heading !== undefined) sections.push({ title: `${title} › ${heading}`, url, lines: [] });
    sections.at(-1)?.lines.push(line);
  }
  return sections.map(({ lines, ...rest }) => ({ ...rest, text: lines.join("\n").trim() }));
}

/** Each word that is there counts far more than how often it is, and in the heading more than in the text. */
function scoreOf({ title, text }: DocText, patterns: readonly RegExp[]): number {
  return patterns.reduce((sum, pattern) => {
    const inTitle = title.match(pattern)?.length ?? 0;
    const inText = text.match(pattern)?.length ?? 0;
    return inTitle + inText === 0 ? sum : sum + 10 + Math.min(inTitle, 2) * 4 + Math.log2(1 + inText);
  }, 0);
}

function cut(text: string): string {
  return text.length <= CHARACTERS_MAX ? text : `${text.slice(0, CHARACTERS_MAX)}… (the page has the rest)`;
}

const CHARACTERS_MAX = 1_200;
