/**
 * One event of a stream, with its data as JSON. JSON has no line breaks, so it is one line. Source: WHATWG HTML, 9.2 Server-sent
 * events (https://html.spec.whatwg.org/multipage/server-sent-events.html).
 */
export function encodeEvent(event: string, data: object, id?: string): string {
  return `event: ${event}\n${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** A comment, which readers skip: it shows that the connection is alive. */
export const ALIVE_COMMENT = ":\n\n";
