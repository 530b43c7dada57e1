/**
 * Describes the first syntax error of a JSON text (RFC 8259) without quoting the text: `at position 14 (line 1, column
 * 15): a comma or a closing bracket is missing`. Positions count from 0 in UTF-16 units, lines and columns from 1.
 * Undefined when the text is valid. Iterative, so that deep nesting cannot overflow the stack.
 */
export function describeJsonProblem(text: string): string | undefined {
  const problem = findProblem(text);
  if (problem === undefined) return undefined;
  const [at, what] = problem;
  const lines = text.slice(0, at).split(/\r\n|\r|\n/);
  return `at position ${at} (line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}): ${what}`;
}

type Problem = [at: number, what: string];

/** The tokens allowed next. `first…` follows an opening bracket, where the closing one is allowed too. */
type Expected = "value" | "firstValue" | "name" | "firstName" | "colon" | "comma" | "end";

const SPACE = /[ \t\n\r]*/y;
const LITERAL = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![A-Za-z_$])/y;

function findProblem(text: string): Problem | undefined {
  const openBrackets: ("{" | "[")[] = [];
  let expected = "value" as Expected;
  let at = 0;
  const afterValue = (): Expected => (openBrackets.length > 0 ? "comma" : "end");
  for (;;) {
    at = matchEnd(SPACE, text, at);
    const char = text[at];
    if (char === undefined) return expected === "end" ? undefined : [at, "the text ends unexpectedly"];
    const closes = char === "}" || char === "]";
    if (closes && isClosable(expected) && openBrackets.at(-1) === (char === "}" ? "{" : "[")) {
      openBrackets.pop();
      expected = afterValue();
      at += 1;
    } else if (expected === "comma" && char === ",") {
      expected = openBrackets.at(-1) === "{" ? "name" : "value";
      at += 1;
    } else if (expected === "colon" && char === ":") {
      expected = "value";
      at += 1;
    } else if (char === '"' && expected !== "comma" && expected !== "colon" && expected !== "end") {
      const end = stringEnd(text, at + 1);
      if (typeof end !== "number") return end;
      expected = expected === "name" || expected === "firstName" ? "colon" : afterValue();
      at = end;
    } else if (expected === "value" || expected === "firstValue") {
      if (char === "{" || char === "[") {
        openBrackets.push(char);
        expected = char === "{" ? "firstName" : "firstValue";
        at += 1;
      } else {
        const end = matchEnd(LITERAL, text, at);
        if (end === at) return [at, explain(expected, char)];
        expected = afterValue();
        at = end;
      }
    } else {
      return [at, explain(expected, char)];
    }
  }
}

function isClosable(expected: Expected): boolean {
  return expected === "comma" || expected === "firstName" || expected === "firstValue";
}

function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** The index after the closing quote of a string whose content begins at `from`, or its first problem. */
function stringEnd(text: string, from: number): number | Problem {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code < 0x20) return [at, "line breaks and control characters in strings must be escaped, such as \\n"];
    if (code !== BACKSLASH) continue;
    at += 1;
    const isLong = text[at] === "u";
    if (at >= text.length) break;
    if (isLong ? !/^[0-9a-fA-F]{4}$/.test(text.slice(at + 1, at + 5)) : !'"\\/bfnrt'.includes(text[at] as string)) {
      return [at - 1, "unknown escape sequence"];
    }
    if (isLong) at += 4;
  }
  return [text.length, "the text ends inside a string"];
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

function explain(expected: Expected, char: string): string {
  if (char === "'" || char === "\u201c" || char === "\u201d") return 'names and strings must be in double quotes (")';
  if (char === "/") return "JSON has no comments";
  switch (expected) {
    case "end":
      return "unexpected text after the end";
    case "colon":
      return "a colon is missing after a name";
    case "comma":
      return "a comma or a closing bracket is missing, or the brackets do not match";
    case "name":
      return char === "}" ? "trailing comma before a closing bracket" : "a name in double quotes is missing";
    case "firstName":
      return "a name in double quotes is missing";
    case "value":
    case "firstValue":
      return char === "]" || char === "}"
        ? "a value is missing, or there is a trailing comma"
        : "expected a value: a string in double quotes, a number, true, false, null, an object or an array";
  }
}
