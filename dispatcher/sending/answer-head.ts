/** "HTTP/1.1 200" and the character after it, which shows that the status code is complete. */
const STATUS_BYTES = 13;
const STATUS = /^HTTP\/1\.[01] ([1-9]\d\d)[ \r\n]/;
/** Completes what has arrived of a status line, to see whether it can still become one. */
const SAMPLE = "HTTP/1.1 200 ";
const SWITCHING_PROTOCOLS = 101;
/** Interim answers are read up to this many bytes. */
const INTERIM_MAX = 64 * 1024;
const NOTHING = Buffer.alloc(0);
const [CR, LF] = [13, 10];

/**
 * Follows one answer in the bytes of its connection, before the HTTP client parses them. The client gives up on a `100
 * Continue` that it did not ask for, and reports a status only when all headers have arrived.
 */
export class AnswerHead {
  /** The final status; 0 until its status line has arrived. */
  statusCode = 0;
  /** Why no final answer can follow. */
  problem: "switched protocols" | "too long" | undefined;
  /** What is read next: a status line, the rest of an interim answer, or what is passed on as it is. */
  #next: "status" | "interim" | "rest" = "status";
  /** The start of a status line. */
  #held = "";
  /** The length of the current line of an interim answer. */
  #lineLength = 0;
  #interimBytes = 0;

  /** Takes bytes as they are read. Returns those for the client: interim answers (RFC 9110, 15.2) are left out. */
  take(chunk: Buffer): Buffer {
    let rest = chunk;
    while (this.#next !== "rest" && rest.length > 0) {
      rest = this.#next === "status" ? this.#readStatus(rest) : this.#skipInterim(rest);
    }
    return rest;
  }

  #readStatus(chunk: Buffer): Buffer {
    // Line breaks before a status line are ignored, as the client does.
    let from = 0;
    if (this.#held === "") while (chunk[from] === CR || chunk[from] === LF) from++;
    const held = this.#held;
    const text = held + chunk.toString("latin1", from, Math.min(from + STATUS_BYTES - held.length, chunk.length));
    if (text.length < STATUS_BYTES && STATUS.test(text + SAMPLE.slice(text.length))) {
      this.#held = text;
      return NOTHING;
    }
    this.#held = "";
    const code = Number(STATUS.exec(text)?.[1] ?? 0);
    if (code >= 100 && code < 200 && code !== SWITCHING_PROTOCOLS) {
      this.#next = "interim";
      this.#lineLength = STATUS_BYTES - 1;
      this.#interimBytes += STATUS_BYTES - 1;
      return chunk.subarray(from + STATUS_BYTES - 1 - held.length);
    }
    this.#next = "rest";
    if (code === SWITCHING_PROTOCOLS) this.problem = "switched protocols";
    else this.statusCode = code;
    return held === "" ? chunk : Buffer.concat([Buffer.from(held, "latin1"), chunk]);
  }

  /** Reads to the empty line that ends an interim answer. Returns what follows. */
  #skipInterim(chunk: Buffer): Buffer {
    for (const [at, byte] of chunk.entries()) {
      if (byte === LF && this.#lineLength === 0) {
        this.#next = "status";
        return chunk.subarray(at + 1);
      }
      if (byte === LF) this.#lineLength = 0;
      else if (byte !== CR) this.#lineLength++;
      if (++this.#interimBytes > INTERIM_MAX) {
        this.problem = "too long";
        return NOTHING;
      }
    }
    return NOTHING;
  }
}
