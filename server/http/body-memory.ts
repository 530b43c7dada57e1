import { AppError } from "#domain/errors.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

/** A body up to here is small: that of any single create is, however it is escaped. */
const SMALL_BYTES_MAX = 512 * KIB;

/**
 * Room of the process, and of one account in it, for the bodies of calls that are being read or worked on. Small ones
 * have room of their own: however many batches come, single creates go on.
 */
const SMALL = { process: { bytes: 0, max: 64 * MIB }, perAccountMax: 16 * MIB, byAccount: new Map<string, number>() };
const LARGE = { process: { bytes: 0, max: 96 * MIB }, perAccountMax: 32 * MIB, byAccount: new Map<string, number>() };

/** The room that the body of one call has: taken before it is read, given back when the call is answered. */
export class BodyRoom {
  readonly #accountId: string;
  #taken = 0;
  #isOver = false;

  constructor(accountId: string) {
    this.#accountId = accountId;
  }

  /**
   * Takes room for a body of `bytes` in all; less than it has changes nothing. Throws RATE_LIMITED when this is more than
   * the account may have under way, and UNAVAILABLE when it is more than the process has.
   */
  take(bytes: number): void {
    if (bytes <= this.#taken || this.#isOver) return;
    const had = this.#taken;
    this.#put(0);
    try {
      assertRoom(this.#accountId, bytes);
    } catch (error) {
      this.#put(had);
      throw error;
    }
    this.#put(bytes);
  }

  /** Gives back what was taken, for good: the call is over. */
  giveBack(): void {
    this.#put(0);
    this.#isOver = true;
  }

  #put(bytes: number): void {
    count(this.#accountId, this.#taken, -1);
    count(this.#accountId, bytes, 1);
    this.#taken = bytes;
  }
}

function assertRoom(accountId: string, bytes: number): void {
  const { process, perAccountMax, byAccount } = kindOf(bytes);
  if ((byAccount.get(accountId) ?? 0) + bytes > perAccountMax) {
    const most = `${perAccountMax / MIB} MiB of ${bytes > SMALL_BYTES_MAX ? "large" : "small"} bodies`;
    throw noRoom("RATE_LIMITED", `This account may have ${most} under way at once. Nothing of this one was stored.`);
  }
  if (process.bytes + bytes > process.max) {
    throw noRoom("UNAVAILABLE", "Too many bodies are being received right now. Nothing of this one was stored.");
  }
}

function count(accountId: string, bytes: number, sign: 1 | -1): void {
  if (bytes === 0) return;
  const { process, byAccount } = kindOf(bytes);
  process.bytes += sign * bytes;
  const ofAccount = (byAccount.get(accountId) ?? 0) + sign * bytes;
  if (ofAccount === 0) byAccount.delete(accountId);
  else byAccount.set(accountId, ofAccount);
}

const kindOf = (bytes: number) => (bytes > SMALL_BYTES_MAX ? LARGE : SMALL);

function noRoom(code: "RATE_LIMITED" | "UNAVAILABLE", message: string): AppError {
  return new AppError(code, message, { headers: { "Retry-After": "2" } });
}
