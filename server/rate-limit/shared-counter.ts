import type { RequestCount } from "#db/queries/fleet/request-counts.ts";

/** `total`: requests in the current minute over all processes, as far as known here. `resetMs`: time until it ends. */
export type CounterReading = { total: number; resetMs: number };

export type SharedCounter = ReturnType<typeof createSharedCounter>;

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

/**
 * Fixed-window counter shared by all web processes through the database; a window is one minute of the database's clock.
 * Requests are counted in memory. Once a second the process adds its counts to the database and reads the totals. When
 * a key has used up its local allowance (`unflushedMax`), further requests of that key wait for the next flush, which
 * counts all of them in one statement. Up to ten processes stay within 10 % of a limit, without a round trip per request.
 * While the database is unavailable or slow, each process counts locally and no request waits.
 */
export function createSharedCounter(deps: {
  /** Adds counts to the shared ones; returns the totals and the database's clock, epoch ms. */
  flushCounts: (counts: RequestCount[]) => Promise<{ totals: number[]; nowMs: number }>;
  /** Deletes counts of earlier minutes. */
  deleteBefore: (minute: number) => Promise<void>;
  /** A flush failed: this process counts locally until one succeeds. */
  onError: (error: unknown) => void;
  now?: () => number;
}) {
  const now = deps.now ?? Date.now;
  let clockOffsetMs = 0;
  let minute = Number.NaN;
  let entries = new Map<string, Entry>();
  let unflushed = new Set<Entry>();
  const waiting = new Map<Entry, Waiter[]>();
  let isLocalOnly = false;
  let expiredMinute = Number.NaN;
  let isFlushing = false;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const databaseNow = () => now() + clockOffsetMs;

  const entriesOfMinute = () => {
    const current = Math.floor(databaseNow() / MINUTE_MS);
    // Each flush measures the clock offset again; a slightly smaller one must not reopen the previous minute.
    if (current !== minute && current !== minute - 1) {
      // Unflushed counts of a past minute no longer matter.
      minute = current;
      entries = new Map();
      unflushed = new Set();
    }
    return entries;
  };

  const entryOf = (key: string): Entry => {
    let entry = entriesOfMinute().get(key);
    if (!entry) {
      entry = { minute, key, total: 0, local: 0, unflushed: 0, isShared: false, waiting: 0 };
      if (entries.size < KEYS_MAX) entries.set(key, entry);
    }
    return entry;
  };

  const countLocally = (entry: Entry, limit: number): CounterReading => {
    if (entry.total >= limit) return reading(limit + 1);
    entry.total++;
    entry.local++;
    entry.unflushed++;
    if (entries.get(entry.key) === entry) unflushed.add(entry);
    scheduleFlush();
    return reading(entry.total);
  };

  const takeUnflushed = (): Flush[] =>
    [...new Set([...waiting.keys(), ...unflushed])].slice(0, FLUSH_BATCH_MAX).map((entry) => {
      const waiters = waiting.get(entry) ?? [];
      waiting.delete(entry);
      return { entry, local: entry.unflushed, waiters };
    });

  /**
   * Counts all waiters locally and lets them go. Waiters of `batch` are part of the statement that was sent: they are
   * added to its `local`, so that they are not flushed twice should it still succeed.
   */
  const admitWaiters = (batch: Flush[]) => {
    isLocalOnly = true;
    for (const one of batch) {
      const before = one.entry.unflushed;
      for (const { limit, settle } of one.waiters.splice(0)) settle(countLocally(one.entry, limit));
      one.local += one.entry.unflushed - before;
    }
    for (const [entry, waiters] of waiting) {
      for (const { limit, settle } of waiters) settle(countLocally(entry, limit));
    }
    waiting.clear();
  };

  const send = async (batch: Flush[]) => {
    const sentAtMs = now();
    const { totals, nowMs } = await deps.flushCounts(
      batch.map(({ entry, local, waiters }) => ({ minute: entry.minute, key: entry.key, n: local + waiters.length })),
    );
    clockOffsetMs = nowMs - (sentAtMs + now()) / 2;
    for (const [at, { entry, local, waiters }] of batch.entries()) {
      const total = totals[at] ?? 0;
      entry.unflushed -= local;
      if (entry.unflushed === 0) unflushed.delete(entry);
      entry.total = Math.max(entry.total, total + entry.unflushed);
      entry.local += waiters.length;
      entry.isShared = true;
      const first = total - waiters.length + 1;
      // The database's clock may show that a new minute has begun: count the waiters there.
      const isCurrent = entriesOfMinute().get(entry.key) === entry;
      for (const [n, { limit, settle }] of waiters.splice(0).entries()) {
        settle(isCurrent ? reading(first + n) : add(entry.key, limit));
      }
    }
    isLocalOnly = false;
    if (expiredMinute !== minute) {
      expiredMinute = minute;
      await deps.deleteBefore(minute - 1);
    }
  };

  /** Sends one batch. After `WAIT_MS_MAX` its waiters are counted locally. */
  const flush = async () => {
    if (isFlushing) return;
    const batch = takeUnflushed();
    if (batch.length === 0) return;
    isFlushing = true;
    const stopWaiting = timeoutOfRunTime(WAIT_MS_MAX, () => admitWaiters(batch));
    try {
      await send(batch);
    } catch (error) {
      admitWaiters(batch);
      deps.onError(error);
    } finally {
      stopWaiting();
      isFlushing = false;
      if (waiting.size > 0) void flush();
      else scheduleFlush();
    }
  };

  const scheduleFlush = () => {
    if (timer || unflushed.size === 0 || isClosed) return;
    timer = setTimeout(() => {
      timer = undefined;
      void flush();
    }, FLUSH_EVERY_MS);
    timer.unref();
  };

  const add = async (key: string, limit: number): Promise<CounterReading> => {
    const entry = entryOf(key);
    // While others wait for a flush, new requests queue up behind them instead of using the local allowance.
    const canCountLocally = entry.waiting === 0 && entry.unflushed < unflushedMax(entry, limit);
    if (isLocalOnly || entry.total >= limit || canCountLocally) return countLocally(entry, limit);
    entry.waiting++;
    return new Promise<CounterReading>((settle) => {
      const waiters = waiting.get(entry);
      if (waiters) waiters.push({ limit, settle });
      else waiting.set(entry, [{ limit, settle }]);
      void flush();
    }).finally(() => {
      entry.waiting--;
    });
  };

  return {
    /** Counts one request of `key`. When `limit` is reached it is not counted and `total` exceeds `limit`. Never rejects. */
    add,

    /** The count of `key`, without counting a request. */
    read: (key: string): CounterReading => reading(entriesOfMinute().get(key)?.total ?? 0),

    /** Whether this process has counted nothing in the current minute. */
    isEmpty: () => entriesOfMinute().size === 0,

    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };

  function reading(total: number): CounterReading {
    return { total, resetMs: MINUTE_MS - (databaseNow() % MINUTE_MS) };
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
