/**
 * The text of an answer's body, or of its start. A byte order mark decides the charset, otherwise the `charset` of its
 * Content-Type (RFC 9110, 8.3.2) by the labels of the Encoding Standard; UTF-8 when there is none or it is unknown. What
 * cannot be decoded becomes U+FFFD.
 */
export function answerText(body: Uint8Array, contentType: string): string {
  return new TextDecoder(markedCharset(body) ?? declaredCharset(body, contentType)).decode(body);
}

// Another parameter's quoted value may hold anything (RFC 9110, 5.6.6).
const OTHER_QUOTED = /;(?![ \t]*charset[ \t]*=)[^;"=]*=[ \t]*"(?:[^"\\]|\\.)*"/gi;
const CHARSET = /;[ \t]*charset[ \t]*=[ \t]*(?:"([^"]*)"|'([^']*)'|([^\s;,"']+))/i;

function markedCharset([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xfe && second === 0xff) return "utf-16be";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xef && second === 0xbb && third === 0xbf ? "utf-8" : undefined;
}

function declaredCharset([first, second]: Uint8Array, contentType: string): string {
  const [, quoted, single, plain] = CHARSET.exec(contentType.replace(OTHER_QUOTED, "")) ?? [];
  const label = (quoted ?? single ?? plain ?? "utf-8").trim().toLowerCase();
  // The standard reads UTF-16 without a mark as little-endian. Text that begins in ASCII shows which it is.
  if (label === "utf-16" && first === 0 && second !== 0) return "utf-16be";
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return "utf-8";
  }
}
