import type { RequestCount } from "#db/queries/request-counts.ts";

/** `total`: calls of the minute that is running, of all processes as far as is known. `resetMs`: what is left of it. */
export type Counted = { total: number; resetMs: number };

export type SharedCounts = ReturnType<typeof createSharedCounts>;

const MINUTE_MS = 60_000;
const TELL_EVERY_MS = 1_000;
/** A call waits at most this long for the others' counts, and nobody for a statement that takes longer than this. */
const WAIT_MAX_MS = 1_000;
const SLOW_MS = 1_000;
const TOLD_AT_ONCE_MAX = 2_000;
/** Above this, nobody new is counted within the minute: memory is bounded, whoever sends from however many addresses. */
const KEYS_MAX = 100_000;

type Entry = {
  minute: number;
  key: string;
  total: number;
  /** Counted here, and the part of it that the others have not been told. */
  own: number;
  untold: number;
  /** Whether the others' counts of this minute have been heard once. */
  isShared: boolean;
};

/**
 * Counts calls by the minute of the database's clock. Counting is done in memory; each process tells the others what it
 * counted, and hears what they did, once a second, and sooner where it has counted a part of a limit alone. Together they
 * so count right within a tenth, up to ten processes, without a round trip a call. When the database is away or slow, each
 * counts for itself and nobody waits.
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
  let untold = new Set<Entry>();
  let isAlone = false;
  let forgotMinute = Number.NaN;
  let telling: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const databaseNow = () => now() + clockOffsetMs;

  const entriesOfMinute = () => {
    const current = Math.floor(databaseNow() / MINUTE_MS);
    // The offset is measured anew each time: a little less of it must not bring the minute before back.
    if (current !== minute && current !== minute - 1) {
      // What was not told of it is of no use to anybody.
      minute = current;
      entries = new Map();
      untold = new Set();
    }
    return entries;
  };

  const entryOf = (key: string): Entry => {
    let entry = entriesOfMinute().get(key);
    if (!entry) {
      entry = { minute, key, total: 0, own: 0, untold: 0, isShared: false };
      if (entries.size < KEYS_MAX) entries.set(key, entry);
    }
    return entry;
  };

  const share = async () => {
    const told = [...untold].slice(0, TOLD_AT_ONCE_MAX).map((entry) => ({ entry, n: entry.untold }));
    if (told.length === 0) return;
    const sentAtMs = now();
    try {
      const { totals, nowMs } = await deps.share(
        told.map(({ entry, n }) => ({ minute: entry.minute, key: entry.key, n })),
      );
      clockOffsetMs = nowMs - (sentAtMs + now()) / 2;
      for (const [at, { entry, n }] of told.entries()) {
        entry.untold -= n;
        if (entry.untold === 0) untold.delete(entry);
        entry.total = Math.max(entry.total, (totals[at] ?? 0) + entry.untold);
        entry.isShared = true;
      }
      isAlone = false;
      if (forgotMinute !== minute) {
        forgotMinute = minute;
        await deps.forget(minute - 1);
      }
    } catch (error) {
      isAlone = true;
      deps.onError(error);
    }
  };

  /** Tells and hears; settles when that is done, or when it takes too long to be waited for. */
  const tell = (): Promise<void> => {
    if (telling) return telling;
    const { promise, resolve } = Promise.withResolvers<void>();
    telling = promise;
    const slow = setTimeout(() => {
      isAlone = true;
      resolve();
    }, SLOW_MS);
    void share().finally(() => {
      clearTimeout(slow);
      telling = undefined;
      resolve();
      tellLater();
    });
    return promise;
  };

  const tellLater = () => {
    if (timer || untold.size === 0 || isClosed) return;
    timer = setTimeout(() => {
      timer = undefined;
      void tell();
    }, TELL_EVERY_MS);
    timer.unref();
  };

  return {
    /** Counts one call of `key`, unless `limit` is reached: then the total is above it. Never fails. */
    async add(key: string, limit: number): Promise<Counted> {
      let entry = entryOf(key);
      if (entry.total < limit && entry.untold >= untoldMax(entry, limit)) {
        const untilMs = performance.now() + WAIT_MAX_MS;
        do {
          if (isAlone) break;
          await tell();
          entry = entryOf(key);
        } while (entry.total < limit && entry.untold >= untoldMax(entry, limit) && performance.now() < untilMs);
      }
      if (entry.total < limit) {
        entry.total++;
        entry.own++;
        entry.untold++;
        if (entries.has(key)) untold.add(entry);
        tellLater();
        return counted(entry.total);
      }
      return counted(limit + 1);
    },

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
 * How much of a limit one process may count before it tells the others: its share of a thirtieth, so that all of them
 * together are off by no more; and a two-hundredth where it has little share or does not know it yet.
 */
function untoldMax(entry: Entry, limit: number): number {
  const share = entry.isShared && entry.total > 0 ? entry.own / entry.total : 0;
  return Math.max(1, Math.floor(Math.max(limit / 200, (limit / 30) * share)));
}
