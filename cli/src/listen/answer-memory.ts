/** How long an answer is remembered, ms. An exchange ends long before. */
const REMEMBERED_MS = 600_000;
/** Bodies of remembered answers together; the oldest are dropped beyond, but their statuses are kept. */
const BODY_BYTES_MAX = 16 * 1024 * 1024;
const ENTRIES_MAX = 100_000;

/** What the local server answered, or the code of why it did not; as it is sent to the service. */
export type Answer =
  | { status: number; retry_after?: string | undefined; body?: string | undefined; latency_ms: number }
  | { error: string };

type Entry = { answer: Answer | undefined; atMs: number };

/**
 * The exchanges of the last ten minutes and their answers, so that none is forwarded twice. Bounded: 100,000 exchanges,
 * and 16 MiB of bodies. Times are monotonic, in ms.
 */
export class AnswerMemory {
  /** In the order in which they came. */
  readonly #entries = new Map<string, Entry>();
  readonly #withBody = new Map<string, number>();
  #bodyBytes = 0;

  /** Notes that an exchange came. False when it came before: then it must not be forwarded. */
  begin(id: string, nowMs: number): boolean {
    this.#forget(nowMs);
    if (this.#entries.has(id)) return false;
    this.#entries.set(id, { answer: undefined, atMs: nowMs });
    return true;
  }

  /** The answer to an exchange; undefined while there is none, or when it never came. */
  answerTo(id: string): Answer | undefined {
    return this.#entries.get(id)?.answer;
  }

  keep(id: string, answer: Answer): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    entry.answer = answer;
    const bytes = bodyBytes(answer);
    if (bytes === 0) return;
    this.#withBody.set(id, bytes);
    this.#bodyBytes += bytes;
    for (const [oldest] of this.#withBody) {
      if (this.#bodyBytes <= BODY_BYTES_MAX) return;
      this.#dropBody(oldest);
    }
  }

  get size(): number {
    return this.#entries.size;
  }

  #forget(nowMs: number): void {
    for (const [id, { atMs }] of this.#entries) {
      if (nowMs - atMs < REMEMBERED_MS && this.#entries.size < ENTRIES_MAX) return;
      this.#dropBody(id);
      this.#entries.delete(id);
    }
  }

  #dropBody(id: string): void {
    const entry = this.#entries.get(id);
    if (entry?.answer && "body" in entry.answer) entry.answer = { ...entry.answer, body: undefined };
    this.#bodyBytes -= this.#withBody.get(id) ?? 0;
    this.#withBody.delete(id);
  }
}

const bodyBytes = (answer: Answer): number => ("body" in answer ? Buffer.byteLength(answer.body ?? "") : 0);
