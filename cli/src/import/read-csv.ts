import { UnreadableInput } from "./unreadable-input.ts";

/** A field of a CSV record and where it begins. */
export type CsvField = { text: string; line: number; column: number };

/**
 * The records of a CSV text, one by one: fields between commas, lines that end with LF or CRLF, and fields in quotes, which
 * may contain commas, line breaks and doubled quotes (RFC 4180). Empty lines are skipped. Throws `UnreadableInput` for a
 * quote that is never closed, characters beside a quoted field, a quote within a field and a lone CR.
 */
export function* readCsv(text: string): Generator<CsvField[]> {
  let at = 0;
  let line = 1;
  let lineAt = 0;
  const place = (offset: number) => [line, offset - lineAt + 1] as const;

  function readQuoted(): CsvField {
    const [startLine, startColumn] = place(at);
    let content = "";
    for (;;) {
      const end = text.indexOf('"', at + 1);
      if (end < 0) throw new UnreadableInput(startLine, startColumn, "this quote is never closed");
      content += text.slice(at + 1, end);
      at = end + 1;
      if (text[at] !== '"') break;
      content += '"';
    }
    const breaks = content.split("\n").length - 1;
    if (breaks > 0) {
      line += breaks;
      lineAt = text.lastIndexOf("\n", at - 1) + 1;
    }
    if (at < text.length && !/[,\r\n]/.test(text[at] as string)) {
      throw new UnreadableInput(...place(at), "a comma or the end of the line must follow the closing quote");
    }
    return { text: content, line: startLine, column: startColumn };
  }

  function readPlain(): CsvField {
    const start = at;
    END.lastIndex = at;
    at = END.exec(text)?.index ?? text.length;
    if (text[at] === '"') {
      throw new UnreadableInput(
        ...place(at),
        'a field with a quote must be in quotes, and the quote doubled: "say ""hi"""',
      );
    }
    const [startLine, column] = place(start);
    return { text: text.slice(start, at), line: startLine, column };
  }

  while (at < text.length) {
    const record: CsvField[] = [];
    for (;;) {
      record.push(text[at] === '"' ? readQuoted() : readPlain());
      if (text[at] !== ",") break;
      at++;
    }
    if (text[at] === "\r" && text[at + 1] !== "\n") {
      throw new UnreadableInput(...place(at), "a line must end with LF or CRLF, not with CR alone");
    }
    const isEmpty = record.length === 1 && record[0]?.text === "" && text[at - 1] !== '"';
    if (!isEmpty) yield record;
    at += text[at] === "\r" ? 2 : 1;
    line++;
    lineAt = at;
  }
}

/** What ends a field without quotes, or must not be in it. */
const END = /[,"\r\n]/g;
