/** The server's answer cannot be read. Its statement may have been carried out. */
class UnreadableAnswer extends Error {
  readonly code = "UNREADABLE_ANSWER";
}

const INSTANT = /^\d{4,6}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?[+-]\d\d(:\d\d){0,2}$/;

const INFINITE = /^-?infinity$/;

/**
 * Reads a timestamptz as the server writes it with DateStyle ISO; an infinite one, which no row should have, as no time. Throws UnreadableAnswer for any other text: in other styles
 * day and month may change places, and names of zones are ambiguous.
 */
export function readInstant(text: string): Date {
  if (INFINITE.test(text)) return new Date(Number.NaN);
  const at = INSTANT.test(text) ? new Date(text) : undefined;
  if (at === undefined || Number.isNaN(at.getTime()))
    throw new UnreadableAnswer(`not an instant of DateStyle ISO: ${text}`);
  return at;
}

/**
 * Reads a bytea in either form of bytea_output. In the form "escape" a backslash is doubled, so none of its texts begins
 * with the `\\x` of the form "hex". Source: PostgreSQL documentation, section 8.4.
 */
export function readBytes(text: string): Buffer {
  if (text.startsWith("\\x")) return Buffer.from(text.slice(2), "hex");
  const byte = (_: string, code: string) => (code === "\\" ? code : String.fromCharCode(Number.parseInt(code, 8)));
  return Buffer.from(text.replace(/\\(\\|[0-3][0-7]{2})/g, byte), "latin1");
}
