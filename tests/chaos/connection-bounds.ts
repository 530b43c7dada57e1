import type { Arrival, ClientEntry, ConnectionBounds, Evidence } from "./evidence.ts";
import { RECEIVER_ORIGINS, type ReceiverOrigin } from "./origins.ts";

/** The end of a connection may be observed this much later, ms. */
const SEEN_LATE_MS = 250;
/** For the same reason, a count over its bound must last for this many consecutive samples. */
const SAMPLES = 2;

export type OverBound = { of: string; detail: string };

/** The most connections observed at once, to compare with the bounds; null where nothing was observed. */
export type ConnectionPeaks = {
  ofProcess: number | null;
  ofOrigin: number | null;
  ofAccount: number;
  ofAccountAndOrigin: number;
};

/** The names that are a single origin to a dispatcher. `many` stands for thousands of origins. */
const SINGLE = RECEIVER_ORIGINS.filter((origin) => origin !== "many");

/**
 * Finds the dispatchers that had more connections than their bounds allow. The sockets of each process, as the system
 * lists them, are checked in all and for each origin. The receiver's counts for each origin are checked against the
 * bound of all living processes together. The requests in flight are checked for each account, in all and for each
 * origin.
 */
export function findOverBound(evidence: Evidence): { over: OverBound[]; peaks: ConnectionPeaks } {
  const { bounds } = evidence;
  const over: OverBound[] = [];
  const peaks = { ofProcess: null, ofOrigin: null, ofAccount: 0, ofAccountAndOrigin: 0 } as ConnectionPeaks;
  const say = (of: string, what: string, seen: number, bound: number) =>
    over.push({ of, detail: `${seen} connections ${what}, at most ${bound}` });

  for (const [pid, samples] of Map.groupBy(evidence.processSockets, (one) => one.pid)) {
    const total = lasting(samples.map(({ open }) => Object.values(open).reduce((sum, n) => sum + n, 0)));
    peaks.ofProcess = Math.max(peaks.ofProcess ?? 0, total);
    if (total > bounds.total) say(`process ${pid}`, "in all", total, bounds.total);
    for (const origin of SINGLE) {
      const seen = lasting(samples.map(({ open }) => open[origin] ?? 0));
      peaks.ofOrigin = Math.max(peaks.ofOrigin ?? 0, seen);
      if (seen > bounds.perOrigin) say(`process ${pid}`, `to ${origin}`, seen, bounds.perOrigin);
    }
  }
  for (const origin of SINGLE) {
    const { seen, bound } = worstOfFleet(origin, evidence);
    if (seen > bound) say("the fleet", `to ${origin}`, seen, bound);
  }
  for (const { of, what, seen } of requestsAtOnce(evidence, ({ origin }) => ` to ${origin}`)) {
    peaks.ofAccountAndOrigin = Math.max(peaks.ofAccountAndOrigin, seen);
    if (seen > bounds.perAccountAndOrigin) say(of, what, seen, bounds.perAccountAndOrigin);
  }
  for (const { of, what, seen } of requestsAtOnce(evidence, () => "")) {
    peaks.ofAccount = Math.max(peaks.ofAccount, seen);
    if (seen > bounds.perAccount) say(of, what, seen, bounds.perAccount);
  }
  return { over, peaks };
}

/** The highest count that lasted for `SAMPLES` consecutive samples. */
const lasting = (seen: readonly number[]): number =>
  seen.reduce(
    (most, _, at) => (at + 1 < SAMPLES ? most : Math.max(most, Math.min(...seen.slice(at + 1 - SAMPLES, at + 1)))),
    0,
  );

/** The sample in which the receiver counted most connections beyond the bound of the living processes. */
function worstOfFleet(origin: ReceiverOrigin, { socketCounts, lifetimes, bounds }: Evidence) {
  let worst = { seen: 0, bound: Number.POSITIVE_INFINITY };
  for (const [at, { atMs }] of socketCounts.entries()) {
    if (at + 1 < SAMPLES) continue;
    const seen = Math.min(...socketCounts.slice(at + 1 - SAMPLES, at + 1).map(({ open }) => open[origin]));
    const living = lifetimes.filter(
      ({ fromMs, untilMs }) => fromMs <= atMs && untilMs > atMs - 4 * SEEN_LATE_MS,
    ).length;
    const bound = living * bounds.perOrigin;
    if (seen - bound > worst.seen - worst.bound) worst = { seen, bound };
  }
  return worst;
}

/**
 * The most requests that one dispatcher had in flight at once for each account, further divided by what `to` returns.
 */
function requestsAtOnce({ client, arrivals, claims, processes }: Evidence, to: (entry: ClientEntry) => string) {
  const entries = new Map(client.map((entry) => [entry.id, entry]));
  const pids = new Map(processes.map(({ dispatcherId, pid }) => [dispatcherId, pid]));
  const owners = Map.groupBy(claims, ({ scheduleId, attempt }) => `${scheduleId} ${attempt}`);
  const groups = Map.groupBy(arrivals, ({ scheduleId, attempt, arrivedAtMs }) => {
    const entry = entries.get(scheduleId);
    const owner = owners.get(`${scheduleId} ${attempt}`)?.findLast(({ claimedAtMs }) => claimedAtMs <= arrivedAtMs);
    return entry && owner ? `${owner.dispatcherId}\nof account ${entry.accountId}${to(entry)}` : UNKNOWN;
  });
  groups.delete(UNKNOWN);
  return [...groups].map(([key, requests]) => {
    const [dispatcherId = "", what = ""] = key.split("\n");
    return { of: `process ${pids.get(dispatcherId)}`, what, seen: mostAtOnce(requests) };
  });
}

const UNKNOWN = "";

function mostAtOnce(requests: readonly Arrival[]): number {
  const turns = requests
    .flatMap(({ arrivedAtMs, endedAtMs }) => [
      { atMs: arrivedAtMs, step: 1 },
      { atMs: Math.max(endedAtMs - SEEN_LATE_MS, arrivedAtMs), step: -1 },
    ])
    .sort((a, b) => a.atMs - b.atMs || a.step - b.step);
  let open = 0;
  return turns.reduce((most, { step }) => {
    open += step;
    return Math.max(most, open);
  }, 0);
}

/** The bounds as the report prints them. */
export const describeBounds = (bounds: ConnectionBounds, peaks: ConnectionPeaks): string =>
  [
    `most of one dispatcher: ${peaks.ofProcess ?? "–"} of ${bounds.total} in all, ${peaks.ofOrigin ?? "–"} of ${bounds.perOrigin} to one origin`,
    `requests of one account: ${peaks.ofAccount} of ${bounds.perAccount}, ${peaks.ofAccountAndOrigin} of ${bounds.perAccountAndOrigin} to one origin`,
  ].join("; ");
