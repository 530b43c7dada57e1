/** A header as it was written: nothing of it is checked yet. */
export type WrittenHeader = { name: string; value: string };

/**
 * Reads the headers of a pasted text: a JSON object, an object, `Headers` or `Map` as Node.js prints it, `-H` options of curl, or
 * lines with `Name: value`, as in a request or in the output of `curl -v`. Null when the text is none of these.
 */
export function readHeaderText(text: string): WrittenHeader[] | null {
  const written = text.trim();
  const headers = readObject(written) ?? readOptions(written) ?? readLines(written);
  return headers !== null && headers.length > 0 ? headers : null;
}

const QUOTED = String.raw`'(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\]|\\[\s\S])*"|\x60(?:[^\x60\\]|\\[\s\S])*\x60`;
const LIST = String.raw`\[\s*(?:(?:${QUOTED})\s*,?\s*)*\]`;
const OBJECT = /^(?:[\w.: =]*?(?:\(\d+\)|\[[^\]]*\])?\s*)?\{([\s\S]*)\}[;,)]*$/;
const ENTRY = new RegExp(
  String.raw`\s*(${QUOTED}|[\w-]+)\s*(?::|=>)\s*(${QUOTED}|${LIST}|-?[\d.]+|true|false)\s*(?:,|$)`,
  "y",
);

function readObject(text: string): WrittenHeader[] | null {
  const inner = OBJECT.exec(text)?.[1];
  if (inner === undefined) return null;
  const headers: WrittenHeader[] = [];
  let place = 0;
  while (inner.slice(place).trim() !== "") {
    ENTRY.lastIndex = place;
    const [whole = "", name = "", value = ""] = ENTRY.exec(inner) ?? [];
    if (whole === "") return null;
    headers.push({ name: unquote(name), value: joined(value) });
    place += whole.length;
  }
  return headers;
}

/** A header that came several times is a list: its values are joined, as one header may have them (RFC 9110, 5.3). */
function joined(written: string): string {
  if (!written.startsWith("[")) return unquote(written);
  return [...written.matchAll(new RegExp(QUOTED, "g"))].map(([one]) => unquote(one)).join(", ");
}

function unquote(written: string): string {
  if (!/^['"`]/.test(written)) return written;
  return written
    .slice(1, -1)
    .replace(/\\(?:u([0-9a-f]{4})|x([0-9a-f]{2})|([\s\S]))/gi, (_, unicode, hex, letter) =>
      letter === undefined ? String.fromCharCode(Number.parseInt(unicode ?? hex, 16)) : (ESCAPES.get(letter) ?? letter),
    );
}

const ESCAPES = new Map(Object.entries({ n: "\n", r: "\r", t: "\t", b: "\b", f: "\f", v: "\v", 0: "\0" }));

/** One word of a POSIX shell: quoted parts and others, side by side. */
const WORD = String.raw`(?:\$?'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\\[\s\S]|[^\s'"\\])+`;
const OPTION = new RegExp(String.raw`(?:^|\s)(?:-H|--header)(?:\s+|=)?(${WORD})`, "g");

function readOptions(text: string): WrittenHeader[] | null {
  const words = [...text.matchAll(OPTION)].map(([, word = ""]) =>
    word.replace(
      /\$?'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])/g,
      (_, single, double, escaped) => single ?? escaped ?? double.replace(/\\([$`"\\])/g, "$1"),
    ),
  );
  return words.length === 0 ? null : readLines(words.map((word) => word.replace(/^([^:]+);$/, "$1:")).join("\n"));
}

const START_LINE = /^(?:[A-Z]+ \S+ )?HTTP\/[\d.]+/;
const LINE = /^([!#$%&'*+\-.^_`|~\w]+):[ \t]*(.*)$/;

function readLines(text: string): WrittenHeader[] | null {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.replace(/^[<>] ?/, "").trim())
    .filter((line) => line !== "" && !START_LINE.test(line));
  const headers = lines.map((line) => LINE.exec(line));
  return headers.every((match) => match !== null)
    ? headers.map(([, name = "", value = ""]) => ({ name, value }))
    : null;
}
