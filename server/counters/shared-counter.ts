import type { RequestCount } from "#db/queries/fleet/request-counts.ts";

/** `total`: requests in the current minute over all processes, as far as known here. `resetMs`: time until it ends. */
export type CounterReading = { total: number; resetMs: number };

const MINUTE_MS = 60_000;
const FLUSH_EVERY_MS = 1_000;
/** A request that has waited this long for a flush is counted locally. */
const WAIT_MS_MAX = 1_000;
const FLUSH_BATCH_MAX = 2_000;
/** Bounds memory: beyond this many keys, new keys are not counted until the minute ends. */
const KEYS_MAX = 100_000;

type Entry = {
  minute: number;
  key: string;
  total: number;
  /** Requests counted by this process; `unflushed` of them are not in the database yet. */
  local: number;
  unflushed: number;
  /** Whether `total` includes the other processes' counts of this minute. */
  isShared: boolean;
  /** Requests waiting to be counted by a flush, including the flush in progress. */
  waiting: number;
};

/** A request that waits for a flush to count it. */
type Waiter = { limit: number; settle: (reading: CounterReading | Promise<CounterReading>) => void };

/** One key in a flush: `local` requests that were counted here before, and the waiters that the flush counts. */
type Flush = { entry: Entry; local: number; waiters: Waiter[] };

type Deps = {
  /** Adds counts to the shared ones; returns the totals and the database's clock, epoch ms. */
  flushCounts: (counts: RequestCount[]) => Promise<{ totals: number[]; nowMs: number }>;
  /** Deletes counts of earlier minutes. */
  deleteBefore: (minute: number) => Promise<void>;
  /** A flush failed: this process counts locally until one succeeds. */
  onError: (error: unknown) => void;
  now?: () => number;
};

/**
 * Fixed-window counter shared by all web processes through the database; a window is one minute of the database's clock.
 * Requests are counted in memory. Once a second the process adds its counts to the database and reads the totals. When
 * a key has used up its local allowance (`unflushedMax`), further requests of that key wait for the next flush, which
 * counts all of them in one statement. Up to ten processes stay within 10 % of a limit, without a round trip per request.
 * While the database is unavailable or slow, each process counts locally and no request waits.
 */
export class SharedCounter {
  readonly #deps: Deps;
  readonly #now: () => number;
  #clockOffsetMs = 0;
  #minute = Number.NaN;
  #entries = new Map<string, Entry>();
  #unflushed = new Set<Entry>();
  readonly #waiting = new Map<Entry, Waiter[]>();
  #isLocalOnly = false;
  #expiredMinute = Number.NaN;
  #isFlushing = false;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#now = deps.now ?? Date.now;
  }

  /** Counts one request of `key`. When `limit` is reached it is not counted and `total` exceeds `limit`. Never rejects. */
  async add(key: string, limit: number): Promise<CounterReading> {
    const entry = this.#entryOf(key);
    // While others wait for a flush, new requests queue up behind them instead of using the local allowance.
    const canCountLocally = entry.waiting === 0 && entry.unflushed < unflushedMax(entry, limit);
    if (this.#isLocalOnly || entry.total >= limit || canCountLocally) return this.#countLocally(entry, limit);
    entry.waiting++;
    return new Promise<CounterReading>((settle) => {
      const waiters = this.#waiting.get(entry);
      if (waiters) waiters.push({ limit, settle });
      else this.#waiting.set(entry, [{ limit, settle }]);
      void this.#flush();
    }).finally(() => {
      entry.waiting--;
    });
  }

  /** The count of `key`, without counting a request. */
  read(key: string): CounterReading {
    return this.#reading(this.#entriesOfMinute().get(key)?.total ?? 0);
  }

  /** Whether this process has counted nothing in the current minute. */
  isEmpty(): boolean {
    return this.#entriesOfMinute().size === 0;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #databaseNow(): number {
    return this.#now() + this.#clockOffsetMs;
  }

  #reading(total: number): CounterReading {
    return { total, resetMs: MINUTE_MS - (this.#databaseNow() % MINUTE_MS) };
  }

  #entriesOfMinute(): Map<string, Entry> {
    const current = Math.floor(this.#databaseNow() / MINUTE_MS);
    // Each flush measures the clock offset again; a slightly smaller one must not reopen the previous minute.
    if (current !== this.#minute && current !== this.#minute - 1) {
      // Unflushed counts of a past minute no longer matter.
      this.#minute = current;
      this.#entries = new Map();
      this.#unflushed = new Set();
    }
    return this.#entries;
  }

  #entryOf(key: string): Entry {
    const entries = this.#entriesOfMinute();
    let entry = entries.get(key);
    if (!entry) {
      entry = { minute: this.#minute, key, total: 0, local: 0, unflushed: 0, isShared: false, waiting: 0 };
      if (entries.size < KEYS_MAX) entries.set(key, entry);
    }
    return entry;
  }

  #countLocally(entry: Entry, limit: number): CounterReading {
    if (entry.total >= limit) return this.#reading(limit + 1);
    entry.total++;
    entry.local++;
    entry.unflushed++;
    if (this.#entries.get(entry.key) === entry) this.#unflushed.add(entry);
    this.#scheduleFlush();
    return this.#reading(entry.total);
  }

  #scheduleFlush(): void {
    if (this.#timer || this.#unflushed.size === 0 || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#flush();
    }, FLUSH_EVERY_MS);
    this.#timer.unref();
  }

  /** Sends one batch. After `WAIT_MS_MAX` its waiters are counted locally. */
  async #flush(): Promise<void> {
    if (this.#isFlushing) return;
    const batch = this.#takeBatch();
    if (batch.length === 0) return;
    this.#isFlushing = true;
    const stopWaiting = timeoutOfRunTime(WAIT_MS_MAX, () => this.#admitWaiters(batch));
    try {
      await this.#send(batch);
    } catch (error) {
      this.#admitWaiters(batch);
      this.#deps.onError(error);
    } finally {
      stopWaiting();
      this.#isFlushing = false;
      if (this.#waiting.size > 0) void this.#flush();
      else this.#scheduleFlush();
    }
  }

  #takeBatch(): Flush[] {
    const entries = [...new Set([...this.#waiting.keys(), ...this.#unflushed])].slice(0, FLUSH_BATCH_MAX);
    return entries.map((entry) => {
      const waiters = this.#waiting.get(entry) ?? [];
      this.#waiting.delete(entry);
      return { entry, local: entry.unflushed, waiters };
    });
  }

  async #send(batch: Flush[]): Promise<void> {
    const sentAtMs = this.#now();
    const { totals, nowMs } = await this.#deps.flushCounts(
      batch.map(({ entry, local, waiters }) => ({ minute: entry.minute, key: entry.key, n: local + waiters.length })),
    );
    this.#clockOffsetMs = nowMs - (sentAtMs + this.#now()) / 2;
    for (const [at, flushed] of batch.entries()) this.#settle(flushed, totals[at] ?? 0);
    this.#isLocalOnly = false;
    if (this.#expiredMinute !== this.#minute) {
      this.#expiredMinute = this.#minute;
      await this.#deps.deleteBefore(this.#minute - 1);
    }
  }

  /** The database has counted a flush of one key; its waiters are the last of `total`. */
  #settle({ entry, local, waiters }: Flush, total: number): void {
    entry.unflushed -= local;
    if (entry.unflushed === 0) this.#unflushed.delete(entry);
    entry.total = Math.max(entry.total, total + entry.unflushed);
    entry.local += waiters.length;
    entry.isShared = true;
    const first = total - waiters.length + 1;
    // The database's clock may show that a new minute has begun: count the waiters there.
    const isCurrent = this.#entriesOfMinute().get(entry.key) === entry;
    for (const [n, { limit, settle }] of waiters.splice(0).entries()) {
      settle(isCurrent ? this.#reading(first + n) : this.add(entry.key, limit));
    }
  }

  /**
   * Counts all waiters locally and lets them go. Waiters of `batch` are part of the statement that was sent: they are
   * added to its `local`, so that they are not flushed twice should it still succeed.
   */
  #admitWaiters(batch: Flush[]): void {
    this.#isLocalOnly = true;
    for (const one of batch) {
      const before = one.entry.unflushed;
      for (const { limit, settle } of one.waiters.splice(0)) settle(this.#countLocally(one.entry, limit));
      one.local += one.entry.unflushed - before;
    }
    for (const [entry, waiters] of this.#waiting) {
      for (const { limit, settle } of waiters) settle(this.#countLocally(entry, limit));
    }
    this.#waiting.clear();
  }
}

/**
 * The local allowance: requests of a key that one process may count before it must flush. A fortieth of the limit, divided
 * among the processes by their share of the traffic, so that together they are off by 2.5 %; at least a two-hundredth,
 * for processes with a small or unknown share.
 */
function unflushedMax(entry: Entry, limit: number): number {
  const share = entry.isShared && entry.total > 0 ? entry.local / entry.total : 0;
  return Math.max(1, Math.floor(Math.max(limit / 200, (limit / 40) * share)));
}

/**
 * Calls back after `ms` of running time; returns a function that cancels it. Time in which the process was paused does not
 * count, since it could not have received a response either.
 */
function timeoutOfRunTime(ms: number, callback: () => void): () => void {
  const steps = 10;
  let left = steps;
  const step = () => {
    left--;
    if (left === 0) callback();
    else timer = setTimeout(step, ms / steps);
  };
  let timer = setTimeout(step, ms / steps);
  return () => clearTimeout(timer);
}
