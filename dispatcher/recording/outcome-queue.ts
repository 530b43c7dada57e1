/** How long outcomes that somebody locks wait for their next try, ms. Guards against whoever locks them. */
const LOCKED_MS = 1_000;

type Deps<T> = {
  /** The account of an outcome, or its schedule where that is not known. */
  ownerOf: (outcome: T) => string;
  monotonic: () => number;
};

/**
 * The outcomes that wait to be written, and in which batches. A row that another session has locked (a schedule, a count of an
 * account) holds up every outcome in its batch. So such a batch is halved, by accounts, until what is locked is by
 * itself. That comes last: one batch at a time is tried again, each after a second, and the others go on. What comes for an
 * account of which something is locked joins it.
 */
export class OutcomeQueue<T> {
  readonly #deps: Deps<T>;
  #waiting: T[] = [];
  readonly #halves: T[][] = [];
  #locked: T[][] = [];
  /** The batch of `#locked` that is being tried, and when the next one may be, monotonic ms. */
  #tried: T[] | null = null;
  #lockedFromMs = Number.NEGATIVE_INFINITY;

  constructor(deps: Deps<T>) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#waiting.length + [...this.#halves, ...this.#locked].reduce((n, batch) => n + batch.length, 0);
  }

  all(): T[] {
    return [...this.#waiting, ...this.#halves.flat(), ...this.#locked.flat()];
  }

  add(outcome: T): void {
    this.#waiting.push(outcome);
  }

  /** Removes and returns the next batch, of at most `max` outcomes; undefined when none may be tried now. */
  take(max: number): T[] | undefined {
    if (this.#tried === null && this.#locked.length > 0 && this.#deps.monotonic() >= this.#lockedFromMs) {
      this.#tried = this.#locked.shift() ?? null;
      return this.#tried ?? undefined;
    }
    const half = this.#halves.shift();
    if (half !== undefined) return half;
    this.#holdBack();
    return this.#waiting.length > 0 ? this.#waiting.splice(0, max) : undefined;
  }

  /** A batch was written. If it was a locked one, the others may be free too: they are tried at once. */
  written(batch: T[]): void {
    if (batch !== this.#tried) return;
    this.#tried = null;
    this.#lockedFromMs = Number.NEGATIVE_INFINITY;
    this.#halves.push(...this.#locked.splice(0));
  }

  /** A batch could not be written, for a reason that is none of its own: it comes first again. */
  putBack(batch: T[]): void {
    if (batch === this.#tried) this.#tried = null;
    this.#waiting = batch.concat(this.#waiting);
  }

  /** Outcomes of accounts of which something is locked would hold up the others of their batch again. */
  #holdBack(): void {
    if (this.#locked.length === 0 && this.#tried === null) return;
    const { ownerOf } = this.#deps;
    const owners = new Set([...this.#locked.flat(), ...(this.#tried ?? [])].map(ownerOf));
    const { held = [], free = [] } = Object.groupBy(this.#waiting, (one) =>
      owners.has(ownerOf(one)) ? "held" : "free",
    );
    this.#waiting = free;
    if (held.length > 0) this.#locked.push(held);
  }

  /** Something in a batch is locked. */
  split(batch: T[]): void {
    const { ownerOf, monotonic } = this.#deps;
    const wasLocked = batch === this.#tried;
    if (wasLocked) this.#tried = null;
    const isShared = new Set(batch.map(ownerOf)).size > 1;
    const ordered = batch.toSorted((a, b) => (ownerOf(a) < ownerOf(b) ? -1 : 1));
    const middle = Math.ceil(batch.length / 2);
    const halves = batch.length > 1 ? [ordered.slice(0, middle), ordered.slice(middle)] : [batch];
    if (isShared && !wasLocked) {
      this.#halves.push(...halves);
      return;
    }
    this.#locked.push(...halves);
    this.#lockedFromMs = monotonic() + LOCKED_MS;
  }
}
