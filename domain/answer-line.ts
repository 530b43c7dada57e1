/**
 * The one line of an answer's text that says what went wrong, for a sentence about it: of a JSON object its `message`, `detail`,
 * `title` or `error` (RFC 9457 and what most services send), of a HTML page its title, or else its text without tags;
 * otherwise the first line that is not blank. Empty when there is none.
 */
export function answerLine(text: string): string {
  return firstLine(messageOfJson(text) ?? textOfHtml(text) ?? text);
}

function firstLine(text: string): string {
  return /\S.*/.exec(text)?.[0].trimEnd() ?? "";
}

const NAMES = ["message", "detail", "title", "error", "error_description"];

function messageOfJson(text: string): string | undefined {
  if (!text.trimStart().startsWith("{")) return undefined;
  try {
    return messageIn(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function messageIn(value: unknown): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  if (typeof value !== "object" || value === null) return undefined;
  const fields = new Map(Object.entries(value));
  return NAMES.map((name) => fields.get(name))
    .map(messageIn)
    .find((message) => message !== undefined);
}

function textOfHtml(text: string): string | undefined {
  if (!/^\s*<[a-z!?]/i.test(text)) return undefined;
  return /<title[^>]*>([^<]*[^<\s][^<]*)/i.exec(text)?.[1] ?? text.replace(/<[^>]*>?/g, " ");
}
