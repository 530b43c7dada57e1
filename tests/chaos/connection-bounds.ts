import type { Arrival, ClientEntry, ConnectionBounds, Evidence } from "./evidence.ts";
import { RECEIVER_ORIGINS, type ReceiverOrigin } from "./origins.ts";

/** The end of a connection may be seen so much after it, ms. */
const SEEN_LATE_MS = 250;
/** Only what was over the bound in so many looks in turn counts, for the same reason. */
const LOOKS = 2;

export type OverBound = { of: string; detail: string };

/** The most connections that were seen at once, beside the bounds; null where nothing was seen. */
export type ConnectionPeaks = {
  ofProcess: number | null;
  ofOrigin: number | null;
  ofAccount: number;
  ofAccountAndOrigin: number;
};

/** Origins that are one to a dispatcher; behind `many` are thousands. */
const SINGLE = RECEIVER_ORIGINS.filter((origin) => origin !== "many");

/**
 * Dispatchers that had more connections than their bounds allow: all in all and to one origin, by what the system lists
 * for each process; to one origin all together, by what the receiver counts for as many processes as lived; and of one
 * account, in all and to one origin, by the requests that were under way at once.
 */
export function findOverBound(evidence: Evidence): { over: OverBound[]; peaks: ConnectionPeaks } {
  const { bounds } = evidence;
  const over: OverBound[] = [];
  const peaks = { ofProcess: null, ofOrigin: null, ofAccount: 0, ofAccountAndOrigin: 0 } as ConnectionPeaks;
  const say = (of: string, what: string, seen: number, bound: number) =>
    over.push({ of, detail: `${seen} connections ${what}, at most ${bound}` });

  for (const [pid, looks] of Map.groupBy(evidence.processSockets, (one) => one.pid)) {
    const total = lasting(looks.map(({ open }) => Object.values(open).reduce((sum, n) => sum + n, 0)));
    peaks.ofProcess = Math.max(peaks.ofProcess ?? 0, total);
    if (total > bounds.total) say(`process ${pid}`, "in all", total, bounds.total);
    for (const origin of SINGLE) {
      const seen = lasting(looks.map(({ open }) => open[origin] ?? 0));
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

/** The most that was seen in each of `LOOKS` looks in turn. */
const lasting = (seen: readonly number[]): number =>
  seen.reduce(
    (most, _, at) => (at + 1 < LOOKS ? most : Math.max(most, Math.min(...seen.slice(at + 1 - LOOKS, at + 1)))),
    0,
  );

/** The look at which the receiver saw most connections beyond what the living processes may have. */
function worstOfFleet(origin: ReceiverOrigin, { socketCounts, lifetimes, bounds }: Evidence) {
  let worst = { seen: 0, bound: Number.POSITIVE_INFINITY };
  for (const [at, { atMs }] of socketCounts.entries()) {
    if (at + 1 < LOOKS) continue;
    const seen = Math.min(...socketCounts.slice(at + 1 - LOOKS, at + 1).map(({ open }) => open[origin]));
    const living = lifetimes.filter(
      ({ fromMs, untilMs }) => fromMs <= atMs && untilMs > atMs - 4 * SEEN_LATE_MS,
    ).length;
    const bound = living * bounds.perOrigin;
    if (seen - bound > worst.seen - worst.bound) worst = { seen, bound };
  }
  return worst;
}

/** The most requests that one dispatcher had under way at once for each account, and for what `to` says of a schedule. */
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
