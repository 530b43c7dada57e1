/** One event of a stream. `event` is "message" where the stream names none. */
export type StreamEvent = { event: string; data: string };

/** A line, and the data of an event, may be this long: the largest payload in base64, and more. */
const EVENT_BYTES_MAX = 8 * 1024 * 1024;
const [LF, CR] = [10, 13];
const BOM = Buffer.from("\uFEFF");

/**
 * Reads `text/event-stream` (WHATWG HTML, 9.2.6) from bytes that may be cut anywhere. An event counts only once the empty
 * line after it has arrived. Throws on bytes that are not UTF-8, and when an event is longer than 8 MiB.
 */
export class EventReader {
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  /** The start of a line, in the pieces that came. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  #isFirstLine = true;
  /** Whether the last line ended with a carriage return: a line feed right after it belongs to it. */
  #isAfterReturn = false;
  #event = "";
  #data: string[] = [];
  #dataLength = 0;

  /** Takes the next bytes. Returns the events that are complete with them. */
  take(chunk: Buffer): StreamEvent[] {
    const events: StreamEvent[] = [];
    let from = 0;
    while (from < chunk.length) {
      if (this.#isAfterReturn) {
        this.#isAfterReturn = false;
        if (chunk[from] === LF) from++;
        if (from === chunk.length) break;
      }
      const end = endOfLine(chunk, from);
      this.#hold(chunk.subarray(from, end ?? chunk.length));
      if (end === undefined) break;
      this.#isAfterReturn = chunk[end] === CR;
      from = end + 1;
      const event = this.#takeLine(this.#releaseLine());
      if (event) events.push(event);
    }
    return events;
  }

  #hold(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#heldBytes += piece.length;
    if (this.#heldBytes > EVENT_BYTES_MAX) throw new Error("the stream has a line of more than 8 MiB");
    // A copy: the piece is part of a larger buffer, which would stay in memory with it.
    this.#held.push(Buffer.from(piece));
  }

  #releaseLine(): string {
    let bytes = this.#held.length === 1 ? (this.#held[0] as Buffer) : Buffer.concat(this.#held);
    this.#held = [];
    this.#heldBytes = 0;
    if (this.#isFirstLine && bytes.subarray(0, BOM.length).equals(BOM)) bytes = bytes.subarray(BOM.length);
    this.#isFirstLine = false;
    return this.#decoder.decode(bytes);
  }

  #takeLine(line: string): StreamEvent | undefined {
    if (line === "") return this.#complete();
    const [, field, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) as RegExpExecArray;
    if (field === "event") this.#event = value;
    if (field === "data") {
      this.#dataLength += value.length;
      if (this.#dataLength > EVENT_BYTES_MAX) throw new Error("the stream has an event of more than 8 MiB");
      this.#data.push(value);
    }
    return undefined;
  }

  #complete(): StreamEvent | undefined {
    const event = this.#data.length > 0 ? { event: this.#event || "message", data: this.#data.join("\n") } : undefined;
    this.#event = "";
    this.#data = [];
    this.#dataLength = 0;
    return event;
  }
}

function endOfLine(chunk: Buffer, from: number): number | undefined {
  const feed = chunk.indexOf(LF, from);
  const carriage = chunk.subarray(from, feed < 0 ? chunk.length : feed).indexOf(CR);
  if (carriage >= 0) return from + carriage;
  return feed < 0 ? undefined : feed;
}
