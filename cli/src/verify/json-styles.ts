/** A way in which a program writes JSON. `name` completes “written …”. */
export type JsonStyle = { name: string; text: string };

/**
 * The JSON of a text as other programs write it: without spaces, as Python does, indented, with escapes. Numbers and the
 * order of names stay as they are. Empty when the text is no JSON object or array.
 */
export function jsonStyles(text: string): JsonStyle[] {
  if (!isJsonContainer(text)) return [];
  const tokens = text.match(TOKEN) ?? [];
  return LAYOUTS.flatMap((layout) =>
    ESCAPES.map((escapes) => ({
      name: escapes.name === "" ? layout.name : `${layout.name}, ${escapes.name}`,
      text: layout.write(tokens.map((token) => (token.startsWith('"') ? escapes.write(token) : token))),
    })),
  );
}

function isJsonContainer(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null;
  } catch {
    return false;
  }
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

const LAYOUTS: readonly { name: string; write(tokens: readonly string[]): string }[] = [
  { name: "without spaces", write: (tokens) => tokens.join("") },
  {
    name: "with a space after : and ,",
    write: (tokens) => tokens.map((token) => (/^[:,]$/.test(token) ? `${token} ` : token)).join(""),
  },
  { name: "indented by 2", write: (tokens) => indented(tokens, "  ") },
  { name: "indented by 4", write: (tokens) => indented(tokens, "    ") },
  { name: "indented by tabs", write: (tokens) => indented(tokens, "\t") },
];

/** As `JSON.stringify(value, null, indent)` writes. */
function indented(tokens: readonly string[], indent: string): string {
  let text = "";
  let depth = 0;
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1] ?? "";
    const line = () => `\n${indent.repeat(depth)}`;
    if (/^[}\]]$/.test(token)) {
      depth--;
      text += /^[{[]$/.test(before) ? token : line() + token;
    } else {
      if (/^[{[,]$/.test(before)) text += line();
      text += token === ":" ? ": " : token;
      if (/^[{[]$/.test(token)) depth++;
    }
  }
  return text;
}

const plain = (token: string): string => JSON.stringify(JSON.parse(token));
const asciiOnly = (text: string): string =>
  text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** How the characters of a string are written. */
const ESCAPES: readonly { name: string; write(token: string): string }[] = [
  { name: "", write: (token) => token },
  { name: "without needless escapes", write: plain },
  { name: "with \\u escapes", write: (token) => asciiOnly(plain(token)) },
  { name: "with escaped slashes", write: (token) => asciiOnly(plain(token).replaceAll("/", "\\/")) },
  {
    name: "with escaped <, > and &",
    write: (token) =>
      plain(token).replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`),
  },
];
