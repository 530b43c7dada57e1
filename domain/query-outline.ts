/**
 * The start of a SQL statement without the values in it, on one line of at most `charactersMax` characters: strings,
 * numbers and comments may hold what customers stored. Each value becomes `?`, each comment a space. A value at whose
 * middle the text ends becomes `?` too, because servers cut long statements. Lexical rules: PostgreSQL documentation,
 * "Lexical Structure".
 */
export function outlineQuery(text: string, charactersMax = 100): string {
  const outline = text
    .slice(0, READ_MAX)
    .replace(TOKEN, (token, _tag, name?: string) => name ?? (/^(--|\/\*)/.test(token) ? " " : "?"))
    .replace(/\s+/g, " ")
    .trim();
  return outline.length > charactersMax ? `${outline.slice(0, charactersMax - 1)}…` : outline;
}

const READ_MAX = 4_096;

const COMMENT = /--[^\n]*/;
// Comments nest: leave out all up to the last end of one.
const BLOCK_COMMENT = /\/\*(?:.*\*\/|.*)/s;
const ESCAPED_STRING = /[eE]'(?:[^'\\]|\\.|'')*(?:'|\\?$)/s;
const STRING = /(?:[bBxXnN]|[uU]&)?'(?:[^']|'')*(?:'|$)/s;
const DOLLAR_QUOTED = /\$((?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?)\$.*?(?:\$\1\$|$)/s;
const NAME_OR_PARAMETER = /("(?:[^"]|"")*(?:"|$)|[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*|\$\d+)/;
const NUMBER = /\.?\d[\w.]*/;

const TOKEN = new RegExp(
  [COMMENT, BLOCK_COMMENT, ESCAPED_STRING, STRING, DOLLAR_QUOTED, NAME_OR_PARAMETER, NUMBER]
    .map(({ source }) => source)
    .join("|"),
  "gs",
);
