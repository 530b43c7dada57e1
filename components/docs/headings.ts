import { lexer, type Token, type Tokens } from "marked";

export type DocHeading = { id: string; text: string };

/** The plain text of tokens. */
export function plainText(tokens: readonly Token[] = []): string {
  return tokens
    .map((token) => {
      if ("tokens" in token && token.tokens) return plainText(token.tokens);
      return "text" in token ? token.text : "";
    })
    .join("");
}

/** The id of each heading, as GitHub makes it, so that links work there and here. A repeated one gets a number. */
export function headingIds(tokens: readonly Token[]): Map<Tokens.Heading, string> {
  const counts = new Map<string, number>();
  const ids = new Map<Tokens.Heading, string>();
  for (const token of tokens) {
    if (token.type !== "heading") continue;
    const slug = slugOf(plainText(token.tokens));
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    ids.set(token as Tokens.Heading, count === 0 ? slug : `${slug}-${count}`);
  }
  return ids;
}

/** What "On this page" lists: the headings of the second level. */
export function readOutline(text: string): DocHeading[] {
  return [...headingIds(lexer(text))]
    .filter(([{ depth }]) => depth === 2)
    .map(([heading, id]) => ({ id, text: plainText(heading.tokens) }));
}

function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");
}
