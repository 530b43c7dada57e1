import { lexer, type Token, type Tokens } from "marked";
import { headingId } from "#domain/heading-id.ts";

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

/** The id of each heading. */
export function headingIds(tokens: readonly Token[]): Map<Tokens.Heading, string> {
  const counts = new Map<string, number>();
  const headings = tokens.filter((token): token is Tokens.Heading => token.type === "heading");
  return new Map(headings.map((heading) => [heading, headingId(plainText(heading.tokens), counts)]));
}

/** What "On this page" lists: the headings of the second level. */
export function readOutline(text: string): DocHeading[] {
  return [...headingIds(lexer(text))]
    .filter(([{ depth }]) => depth === 2)
    .map(([heading, id]) => ({ id, text: plainText(heading.tokens) }));
}
