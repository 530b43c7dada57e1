import { type IncomingMessage, ServerResponse } from "node:http";

type Done = (error?: Error | null) => void;

/** A response that goes to nobody: keeps what is written, for `ended`. */
export class CapturedResponse extends ServerResponse {
  readonly #chunks: Buffer[] = [];
  #resolve: (body: Buffer) => void = () => {};

  /** The body, once the response has ended. */
  readonly ended: Promise<Buffer>;

  constructor(request: IncomingMessage) {
    super(request);
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  override flushHeaders(): void {}

  override write(chunk: unknown, encoding?: BufferEncoding | Done, callback?: Done): boolean {
    this.#add(chunk, encoding);
    (typeof encoding === "function" ? encoding : callback)?.();
    return true;
  }

  override end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
    if (chunk !== undefined && chunk !== null && typeof chunk !== "function") this.#add(chunk, encoding);
    this.finished = true;
    for (const one of [chunk, encoding, callback]) if (typeof one === "function") one();
    this.#resolve(Buffer.concat(this.#chunks));
    this.emit("finish");
    this.emit("close");
    return this;
  }

  #add(chunk: unknown, encoding: unknown): void {
    const text = typeof encoding === "string" ? (encoding as BufferEncoding) : "utf8";
    this.#chunks.push(typeof chunk === "string" ? Buffer.from(chunk, text) : Buffer.from(chunk as Uint8Array));
  }
}
