import { describe, expect, it } from "vitest";
import { answerText } from "#domain/answer-text.ts";

const latin1 = Buffer.from("Fehler: ung\xfcltig \x80", "latin1");
const le = Buffer.from("ungültig", "utf16le");
const be = Buffer.from(le).swap16();
const marked = (mark: number[], bytes: Buffer) => Buffer.concat([Buffer.from(mark), bytes]);

describe("the body of an answer is read", () => {
  it.each([
    ["text/plain; charset=iso-8859-1", latin1, "Fehler: ungültig €"],
    ['text/plain; charset="ISO-8859-1"', latin1, "Fehler: ungültig €"],
    ["text/plain;CHARSET = 'Windows-1252' ; x=y", latin1, "Fehler: ungültig €"],
    ['text/plain; x="; charset=utf-16"; charset=latin1', latin1, "Fehler: ungültig €"],
    ['text/plain; x="\\"; charset=utf-16"; charset = "latin1"', latin1, "Fehler: ungültig €"],
    ["text/plain; x=y; charset=latin1", latin1, "Fehler: ungültig €"],
    ["text/plain; charset=utf-16", le, "ungültig"],
    ["text/plain; charset=utf-16", be, "ungültig"],
    ["text/plain; charset=utf-16le", le, "ungültig"],
    ["text/plain; charset=UTF-16BE", be, "ungültig"],
    ["text/plain; charset=shift_jis", Buffer.from([0x83, 0x47, 0x83, 0x89, 0x81, 0x5b]), "エラー"],
  ])("by the charset of %j", (contentType, bytes, text) => expect(answerText(bytes, contentType)).toBe(text));

  it("by its byte order mark, whatever is declared", () => {
    for (const contentType of ["text/plain; charset=utf-16", "text/plain; charset=iso-8859-1", ""]) {
      expect(answerText(marked([0xff, 0xfe], le), contentType)).toBe("ungültig");
      expect(answerText(marked([0xfe, 0xff], be), contentType)).toBe("ungültig");
      expect(answerText(marked([0xef, 0xbb, 0xbf], Buffer.from("ungültig")), contentType)).toBe("ungültig");
    }
  });

  it("as UTF-8, with U+FFFD for what is none, where no known charset is declared", () => {
    for (const contentType of [
      "",
      "text/plain",
      "text/plain; charset=klingon",
      "text/plain; charset=",
      "xcharset=latin1",
    ]) {
      expect(answerText(Buffer.from("ungültig"), contentType)).toBe("ungültig");
      expect(answerText(latin1, contentType)).toBe("Fehler: ung\ufffdltig \ufffd");
    }
  });
});
