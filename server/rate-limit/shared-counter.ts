import type { RequestCount } from "#db/queries/fleet/request-counts.ts";

/** `total`: calls of the minute that is running, of all processes as far as is known. `resetMs`: what is left of it. */
export type Counted = { total: number; resetMs: number };

export type SharedCounts = ReturnType<typeof createSharedCounts>;

const MINUTE_MS = 60_000;
const FLUSH_EVERY_MS = 1_000;
/** Nobody waits for a statement that takes longer than this. */
const SLOW_MS = 1_000;
const FLUSHED_AT_ONCE_MAX = 2_000;
/** Above this, nobody new is counted within the minute: memory is bounded, whoever sends from however many addresses. */
const KEYS_MAX = 100_000;

type Entry = {
  minute: number;
  key: string;
  total: number;
  /** Counted here, and the part of it that the others have not been flushed. */
  own: number;
  unflushed: number;
  /** Whether the others' counts of this minute have been heard once. */
  isShared: boolean;
  /** Calls that wait to be counted, those included that a statement is counting. */
  waiting: number;
};

/** A call that is counted together with those of the other processes, and waits for that. */
type Waiter = { limit: number; settle: (counted: Counted | Promise<Counted>) => void };

/** What one statement tells: calls that were counted here already, and those that wait to be. */
type Flush = { entry: Entry; own: number; waiters: Waiter[] };

/**
 * Counts calls by the minute of the database's clock. Counting is done in memory; each process tells the others what it
 * counted, and hears what they did, once a second. Where it has counted a part of a limit alone, further calls wait and are
 * counted by the next statement, all that wait by one. Together processes so count right within a tenth, up to ten of them,
 * without a round trip a call. When the database is away or slow, each counts for itself and nobody waits.
 */
export function createSharedCounts(deps: {
  /** Adds counts to those of all processes; answers their totals and the database's clock, epoch ms. */
  share: (counts: RequestCount[]) => Promise<{ totals: number[]; nowMs: number }>;
  /** Forgets what was counted before a minute. */
  forget: (minute: number) => Promise<void>;
  /** Sharing failed: from now on each process counts for itself, until it succeeds again. */
  onError: (error: unknown) => void;
  now?: () => number;
}) {
  const now = deps.now ?? Date.now;
  let clockOffsetMs = 0;
  let minute = Number.NaN;
  let entries = new Map<string, Entry>();
  let unflushed = new Set<Entry>();
  const waiting = new Map<Entry, Waiter[]>();
  let isAlone = false;
  let forgotMinute = Number.NaN;
  let isFlushing = false;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const databaseNow = () => now() + clockOffsetMs;

  const entriesOfMinute = () => {
    const current = Math.floor(databaseNow() / MINUTE_MS);
    // The offset is measured anew each time: a little less of it must not bring the minute before back.
    if (current !== minute && current !== minute - 1) {
      // What was not flushed of it is of no use to anybody.
      minute = current;
      entries = new Map();
      unflushed = new Set();
    }
    return entries;
  };

  const entryOf = (key: string): Entry => {
    let entry = entriesOfMinute().get(key);
    if (!entry) {
      entry = { minute, key, total: 0, own: 0, unflushed: 0, isShared: false, waiting: 0 };
      if (entries.size < KEYS_MAX) entries.set(key, entry);
    }
    return entry;
  };

  const countHere = (entry: Entry, limit: number): Counted => {
    if (entry.total >= limit) return counted(limit + 1);
    entry.total++;
    entry.own++;
    entry.unflushed++;
    if (entries.get(entry.key) === entry) unflushed.add(entry);
    tellLater();
    return counted(entry.total);
  };

  const takeUnflushed = (): Flush[] =>
    [...new Set([...waiting.keys(), ...unflushed])].slice(0, FLUSHED_AT_ONCE_MAX).map((entry) => {
      const waiters = waiting.get(entry) ?? [];
      waiting.delete(entry);
      return { entry, own: entry.unflushed, waiters };
    });

  /** Lets those who wait go on, counted here alone; what they add to `own` is flushed already, should `flushed` arrive yet. */
  const letGo = (flushed: Flush[]) => {
    isAlone = true;
    for (const one of flushed) {
      const before = one.entry.unflushed;
      for (const { limit, settle } of one.waiters.splice(0)) settle(countHere(one.entry, limit));
      one.own += one.entry.unflushed - before;
    }
    for (const [entry, waiters] of waiting) {
      for (const { limit, settle } of waiters) settle(countHere(entry, limit));
    }
    waiting.clear();
  };

  const share = async (flushed: Flush[]) => {
    const sentAtMs = now();
    const { totals, nowMs } = await deps.share(
      flushed.map(({ entry, own, waiters }) => ({ minute: entry.minute, key: entry.key, n: own + waiters.length })),
    );
    clockOffsetMs = nowMs - (sentAtMs + now()) / 2;
    for (const [at, { entry, own, waiters }] of flushed.entries()) {
      const total = totals[at] ?? 0;
      entry.unflushed -= own;
      if (entry.unflushed === 0) unflushed.delete(entry);
      entry.total = Math.max(entry.total, total + entry.unflushed);
      entry.own += waiters.length;
      entry.isShared = true;
      const first = total - waiters.length + 1;
      // The answer may show that it is another minute: they are counted in that one.
      const isOfNow = entriesOfMinute().get(entry.key) === entry;
      for (const [n, { limit, settle }] of waiters.splice(0).entries()) {
        settle(isOfNow ? counted(first + n) : add(entry.key, limit));
      }
    }
    isAlone = false;
    if (forgotMinute !== minute) {
      forgotMinute = minute;
      await deps.forget(minute - 1);
    }
  };

  /** Tells and hears. Nobody is held up by it for longer than `SLOW_MS`. */
  const tell = async () => {
    if (isFlushing) return;
    const flushed = takeUnflushed();
    if (flushed.length === 0) return;
    isFlushing = true;
    const stopWaiting = whenRunFor(SLOW_MS, () => letGo(flushed));
    try {
      await share(flushed);
    } catch (error) {
      letGo(flushed);
      deps.onError(error);
    } finally {
      stopWaiting();
      isFlushing = false;
      if (waiting.size > 0) void tell();
      else tellLater();
    }
  };

  const tellLater = () => {
    if (timer || unflushed.size === 0 || isClosed) return;
    timer = setTimeout(() => {
      timer = undefined;
      void tell();
    }, FLUSH_EVERY_MS);
    timer.unref();
  };

  const add = async (key: string, limit: number): Promise<Counted> => {
    const entry = entryOf(key);
    // Nobody passes those who wait: they are counted right after what was counted before them.
    const isSoon = entry.waiting === 0 && entry.unflushed < unflushedMax(entry, limit);
    if (isAlone || entry.total >= limit || isSoon) return countHere(entry, limit);
    entry.waiting++;
    return new Promise<Counted>((settle) => {
      const waiters = waiting.get(entry);
      if (waiters) waiters.push({ limit, settle });
      else waiting.set(entry, [{ limit, settle }]);
      void tell();
    }).finally(() => {
      entry.waiting--;
    });
  };

  return {
    /** Counts one call of `key`, unless `limit` is reached: then the total is above it. Never fails. */
    add,

    /** What is counted for `key`, without counting. */
    read: (key: string): Counted => counted(entriesOfMinute().get(key)?.total ?? 0),

    /** Whether nothing was counted here within this minute. */
    isEmpty: () => entriesOfMinute().size === 0,

    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };

  function counted(total: number): Counted {
    return { total, resetMs: MINUTE_MS - (databaseNow() % MINUTE_MS) };
  }
}

/**
 * How much of a limit one process may count before it tells the others: its share of a fortieth, so that all of them
 * together are off by no more; and a two-hundredth where it has little share or does not know it yet.
 */
function unflushedMax(entry: Entry, limit: number): number {
  const share = entry.isShared && entry.total > 0 ? entry.own / entry.total : 0;
  return Math.max(1, Math.floor(Math.max(limit / 200, (limit / 40) * share)));
}

/**
 * Calls back when this process has run for `ms`; answers what prevents it. Time in which it stood still does not count: it
 * could not have heard an answer either.
 */
function whenRunFor(ms: number, callback: () => void): () => void {
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
