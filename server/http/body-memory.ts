import { callerNetwork } from "#domain/caller-address.ts";
import { AppError } from "#domain/errors.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

/** Bodies up to this size are small. Any single create fits, even with every character of its payload escaped. */
const SMALL_BYTES_MAX = 512 * KIB;

/** Whose bodies share a budget: those of accounts, small and large, so that batches cannot block single creates. */
type Share = "small" | "large" | "callers";

/** Bytes of bodies in this process, and of one holder: an account, or a network of callers without a credential. */
const LIMITS: Record<Share, { processMax: number; holderMax: number }> = {
  small: { processMax: 64 * MIB, holderMax: 16 * MIB },
  large: { processMax: 96 * MIB, holderMax: 32 * MIB },
  callers: { processMax: 32 * MIB, holderMax: 16 * MIB },
};

/** The memory of one body. No class, since instances of two copies of this module meet in one budget. */
type Held = { holder: string; share: Share; bytes: number; isArriving: boolean; revoke: () => void };

type Budget = { bytes: number; holders: Map<string, { bytes: number; held: Set<Held> }> };

/**
 * Memory for the body of one request. It is reserved as bytes arrive, whatever length was announced, and released after
 * the response. When the budget of the process is used up, the holder with the most bytes loses a body that is still
 * arriving; a body that arrived completely is never revoked.
 */
export class BodyMemory {
  readonly #isAccount: boolean;
  readonly #held: Held;
  #isOver = false;
  #refusal: AppError | undefined;
  #onRevoked: ((refusal: AppError) => void) | undefined;

  private constructor(holder: string, isAccount: boolean) {
    this.#isAccount = isAccount;
    const revoke = () => this.#revoke();
    this.#held = { holder, share: isAccount ? "small" : "callers", bytes: 0, isArriving: true, revoke };
  }

  /** For a request with the valid credential of this account. */
  static ofAccount(accountId: string): BodyMemory {
    return new BodyMemory(accountId, true);
  }

  /** For a request whose credential is not known yet, or that has none. Counts for the network of its address. */
  static ofCaller(address: string | null): BodyMemory {
    return new BodyMemory(address === null ? "unknown" : callerNetwork(address), false);
  }

  /** Why the memory was taken back; undefined while it was not. */
  get refusal(): AppError | undefined {
    return this.#refusal;
  }

  /** `listener` is called when the memory is taken back. */
  onRevoked(listener: (refusal: AppError) => void): void {
    this.#onRevoked = listener;
  }

  /**
   * Grows the reservation to `bytes` in total; never shrinks it. Throws RATE_LIMITED when the holder has used up its
   * allowance, holds the most while the budget of the process is used up, or has lost this memory. Throws UNAVAILABLE when
   * others hold more and nothing can be taken from them.
   */
  reserve(bytes: number): void {
    if (this.#refusal !== undefined) throw this.#refusal;
    const { bytes: previous, share: previousShare } = this.#held;
    if (bytes <= previous || this.#isOver) return;
    remove(this.#held);
    try {
      this.#held.share = !this.#isAccount ? "callers" : bytes > SMALL_BYTES_MAX ? "large" : "small";
      this.#held.bytes = bytes;
      makeRoom(this.#held, this.#isAccount);
    } catch (error) {
      Object.assign(this.#held, { bytes: previous, share: previousShare });
      throw error;
    } finally {
      add(this.#held);
    }
  }

  /** The body has arrived completely: it is being processed, and is not revoked any more. */
  settle(): void {
    this.#held.isArriving = false;
  }

  /** Releases the reservation. Later calls of `reserve` do nothing: the request is over. */
  release(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    remove(this.#held);
  }

  #revoke(): void {
    const who = this.#isAccount ? "this account" : "this network";
    this.#refusal = refused(
      "RATE_LIMITED",
      `The server is receiving too many request bodies, and ${who} sends the most. This request was not stored.`,
    );
    this.release();
    this.#onRevoked?.(this.#refusal);
  }
}

/** Makes room for `wanted`, which is not counted yet, or throws. */
function makeRoom(wanted: Held, isAccount: boolean): void {
  const { processMax, holderMax } = LIMITS[wanted.share];
  const budget = budgets()[wanted.share];
  const held = wanted.bytes + (budget.holders.get(wanted.holder)?.bytes ?? 0);
  if (held > holderMax) throw overAllowance(wanted.share, isAccount, holderMax);
  while (budget.bytes + wanted.bytes > processMax) {
    const largest = largestArriving(budget, wanted.holder, held);
    if (largest === undefined) throw noRoom(budget, held);
    largest.revoke();
  }
}

/** The largest arriving body of the holder with the most bytes, among holders with more than `bytes`. */
function largestArriving({ holders }: Budget, except: string, bytes: number): Held | undefined {
  let most = bytes;
  let largest: Held | undefined;
  for (const [holder, { bytes: held, held: bodies }] of holders) {
    if (held <= most || holder === except) continue;
    const candidate = [...bodies].filter((one) => one.isArriving).sort((a, b) => b.bytes - a.bytes)[0];
    if (candidate === undefined) continue;
    most = held;
    largest = candidate;
  }
  return largest;
}

function noRoom({ holders }: Budget, held: number): AppError {
  const othersHoldMore = holders.values().some(({ bytes }) => bytes > held);
  return othersHoldMore
    ? refused("UNAVAILABLE", "The server is processing too many request bodies. This request was not stored.")
    : refused(
        "RATE_LIMITED",
        "The server is receiving too many request bodies, most of them from here. This request was not stored.",
      );
}

function overAllowance(share: Share, isAccount: boolean, bytesMax: number): AppError {
  const who = isAccount ? "This account" : "This network";
  const kind = isAccount ? `${share} bodies` : "bodies without a credential";
  return refused(
    "RATE_LIMITED",
    `${who} may send ${bytesMax / MIB} MiB of ${kind} at the same time. This request was not stored.`,
  );
}

function refused(code: "RATE_LIMITED" | "UNAVAILABLE", message: string): AppError {
  return new AppError(code, message, { headers: { "Retry-After": "2" } });
}

function add(one: Held): void {
  if (one.bytes === 0) return;
  const budget = budgets()[one.share];
  const holder = budget.holders.get(one.holder) ?? { bytes: 0, held: new Set() };
  budget.holders.set(one.holder, holder);
  budget.bytes += one.bytes;
  holder.bytes += one.bytes;
  holder.held.add(one);
}

function remove(one: Held): void {
  const budget = budgets()[one.share];
  const holder = budget.holders.get(one.holder);
  if (!holder?.held.delete(one)) return;
  budget.bytes -= one.bytes;
  holder.bytes -= one.bytes;
  if (holder.held.size === 0) budget.holders.delete(one.holder);
}

// On globalThis, since Next.js loads this module twice: in the routes' bundle and in that of instrumentation.ts.
function budgets(): Record<Share, Budget> {
  const store = globalThis as { [BUDGETS]?: Record<Share, Budget> };
  store[BUDGETS] ??= { small: empty(), large: empty(), callers: empty() };
  return store[BUDGETS];
}

function empty(): Budget {
  return { bytes: 0, holders: new Map() };
}

const BUDGETS = Symbol.for("stopwatch.body-memory");
