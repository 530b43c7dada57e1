/** The first heading of a page of docs/, and the first sentence of its text, both without Markdown. */
export function readFront(text: string): { title: string; description: string } {
  const prose = text.replaceAll(/^```.*?^```$/gms, "");
  const title = /^# (.+)$/m.exec(prose)?.[1] ?? "";
  const paragraph = prose.split(/\n\s*\n/).find((block) => /^\s*[^\s#|>*+-]/.test(block) && !/^\s*\d+\. /.test(block));
  const plain = withoutMarkdown(paragraph ?? "").trim();
  return { title: withoutMarkdown(title), description: /^.*?[.!?](?=\s|$)/.exec(plain)?.[0] ?? plain };
}

/** The plain text of a paragraph or heading in Markdown, in one line. */
export function withoutMarkdown(text: string): string {
  return text
    .replaceAll(/\s+/g, " ")
    .replaceAll(/!?\[([^\]]+)\]\([^)]*\)/g, "$1")
    .replaceAll(/\*\*|`/g, "");
}
