/** Fixed by HTTP: "HTTP/1.1 200" and the character after it, which shows that the status code is complete. */
const STATUS_BYTES = 13;
const STATUS = /^HTTP\/1\.[01] ([1-9]\d\d)[ \r\n]/;
/** The client takes these, as a status below 100. */
const NO_STATUS = /^HTTP\/1\.[01] 0\d\d[ \r\n]/;
/** Completes what has arrived of a status line, to see whether it can still become one. */
const SAMPLE = "HTTP/1.1 200 ";
/** Fixed by HTTP. */
const SWITCHING_PROTOCOLS = 101;
/**
 * The most that is read of one answer, bytes as they arrive: line breaks before it, interim answers, headers, body, and what
 * delimits the body, such as the extensions of chunks. Fixed by docs/limits.md.
 */
const ANSWER_MAX = 256 * 1024;
/** Interim answers, and the headers of the final one, are read up to this many bytes each. Guards against endless ones. */
const READ_MAX = 64 * 1024;
/** The headers of an answer that are passed on. Fixed by the client, which takes no more. */
const PASSED_MAX = 16 * 1024;
/** Bounds memory: as much as is kept of one header line. */
const LINE_MAX = 256;
const RETRY_AFTER = /^retry-after:(.*)$/is;
/** The statuses with which Retry-After counts. */
const ASKS_TO_WAIT = new Set([429, 503]);
const NOTHING = Buffer.alloc(0);
const [CR, LF] = [13, 10];

/**
 * Follows one answer in the bytes of its connection, before the HTTP client parses them. The client gives up on a `100
 * Continue` that it did not ask for, and reports a status only when all headers have arrived.
 */
export class AnswerHead {
  /** The final status; 0 until its status line has arrived. */
  statusCode = 0;
  /** The values of Retry-After that have arrived, with a status of 429 or 503. White space around them is theirs. */
  readonly retryAfter: string[] = [];
  /** Why no more of the answer can be read. */
  problem: "switched protocols" | "no status" | "too long" | "endless" | undefined;
  /** What is read next: a status line, the rest of an interim answer, headers, or what is passed on as it is. */
  #next: "status" | "interim" | "headers" | "rest" = "status";
  /** The start of a status line or of a header line. */
  #held = "";
  /** The length of the current line of an interim answer. */
  #lineLength = 0;
  #interimBytes = 0;
  #headerBytes = 0;
  #bytes = 0;

  /** Takes bytes as they are read. Returns those for the client: interim answers (RFC 9110, 15.2) are left out. */
  take(chunk: Buffer): Buffer {
    this.#bytes += chunk.length;
    if (this.#bytes > ANSWER_MAX) {
      this.problem ??= "endless";
      return NOTHING;
    }
    let rest = chunk;
    while (this.#next === "status" || this.#next === "interim") {
      if (rest.length === 0) return rest;
      rest = this.#next === "status" ? this.#readStatus(rest) : this.#skipInterim(rest);
    }
    return this.#next === "headers" ? this.#readHeaders(rest) : rest;
  }

  #readStatus(chunk: Buffer): Buffer {
    // Line breaks before a status line are ignored, as the client does.
    let from = 0;
    if (this.#held === "") while (chunk[from] === CR || chunk[from] === LF) from++;
    const held = this.#held;
    const text = held + chunk.toString("latin1", from, Math.min(from + STATUS_BYTES - held.length, chunk.length));
    const completed = text + SAMPLE.slice(text.length);
    if (text.length < STATUS_BYTES && (STATUS.test(completed) || NO_STATUS.test(completed))) {
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
    this.#next = ASKS_TO_WAIT.has(code) ? "headers" : "rest";
    if (NO_STATUS.test(text)) this.problem = "no status";
    else if (code === SWITCHING_PROTOCOLS) this.problem = "switched protocols";
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
      if (++this.#interimBytes > READ_MAX) {
        this.problem = "too long";
        return NOTHING;
      }
    }
    return NOTHING;
  }

  /** Looks for Retry-After up to the end of the headers; where they are longer than is passed on, up to the first. */
  #readHeaders(chunk: Buffer): Buffer {
    let from = 0;
    for (let end = chunk.indexOf(LF); end >= 0 && this.#next === "headers"; end = chunk.indexOf(LF, from)) {
      const line = this.#held + chunk.toString("latin1", from, Math.min(end, from + LINE_MAX));
      const value = RETRY_AFTER.exec(line)?.[1];
      if (value !== undefined) this.retryAfter.push(value.replace(/\r$/, ""));
      if (line === "" || line === "\r") this.#next = "rest";
      this.#held = "";
      from = end + 1;
    }
    const isComplete = this.#next === "rest";
    this.#headerBytes += isComplete ? from : chunk.length;
    if (!isComplete) this.#held += chunk.toString("latin1", from, from + LINE_MAX - this.#held.length);
    if (this.#headerBytes <= PASSED_MAX) return chunk;
    if (isComplete || this.retryAfter.length > 0 || this.#headerBytes > READ_MAX) this.problem = "too long";
    return NOTHING;
  }
}
