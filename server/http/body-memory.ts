import { AppError } from "#domain/errors.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

/** Bodies up to this size are small. Any single create fits, even with every character of its payload escaped. */
const SMALL_BYTES_MAX = 512 * KIB;

/**
 * Memory for request bodies that are being read or processed, per process and per account. Small and large bodies have
 * separate budgets, so that batches cannot block single creates.
 */
const SMALL = { process: { bytes: 0, max: 64 * MIB }, perAccountMax: 16 * MIB, byAccount: new Map<string, number>() };
const LARGE = { process: { bytes: 0, max: 96 * MIB }, perAccountMax: 32 * MIB, byAccount: new Map<string, number>() };

/** The memory reserved for the body of one request: reserved before the bytes are read, released after the response. */
export class BodyMemory {
  readonly #accountId: string;
  #reserved = 0;
  #isOver = false;

  constructor(accountId: string) {
    this.#accountId = accountId;
  }

  /**
   * Grows the reservation to `bytes` in total; never shrinks it. Throws RATE_LIMITED when the account's budget is
   * exceeded, UNAVAILABLE when that of the process is.
   */
  reserve(bytes: number): void {
    if (bytes <= this.#reserved || this.#isOver) return;
    const previous = this.#reserved;
    this.#put(0);
    try {
      assertCapacity(this.#accountId, bytes);
    } catch (error) {
      this.#put(previous);
      throw error;
    }
    this.#put(bytes);
  }

  /** Releases the reservation. Later calls of `reserve` do nothing: the request is over. */
  release(): void {
    this.#put(0);
    this.#isOver = true;
  }

  #put(bytes: number): void {
    count(this.#accountId, this.#reserved, -1);
    count(this.#accountId, bytes, 1);
    this.#reserved = bytes;
  }
}

function assertCapacity(accountId: string, bytes: number): void {
  const { process, perAccountMax, byAccount } = budgetFor(bytes);
  if ((byAccount.get(accountId) ?? 0) + bytes > perAccountMax) {
    const allowance = `${perAccountMax / MIB} MiB of ${bytes > SMALL_BYTES_MAX ? "large" : "small"} bodies`;
    throw outOfMemory(
      "RATE_LIMITED",
      `This account may send ${allowance} at the same time. This request was not stored.`,
    );
  }
  if (process.bytes + bytes > process.max) {
    throw outOfMemory("UNAVAILABLE", "The server is receiving too many request bodies. This request was not stored.");
  }
}

function count(accountId: string, bytes: number, sign: 1 | -1): void {
  if (bytes === 0) return;
  const { process, byAccount } = budgetFor(bytes);
  process.bytes += sign * bytes;
  const ofAccount = (byAccount.get(accountId) ?? 0) + sign * bytes;
  if (ofAccount === 0) byAccount.delete(accountId);
  else byAccount.set(accountId, ofAccount);
}

const budgetFor = (bytes: number) => (bytes > SMALL_BYTES_MAX ? LARGE : SMALL);

function outOfMemory(code: "RATE_LIMITED" | "UNAVAILABLE", message: string): AppError {
  return new AppError(code, message, { headers: { "Retry-After": "2" } });
}
