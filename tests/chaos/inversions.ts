import type { Arrival, ClaimRow, ClientEntry, Evidence } from "./evidence.ts";
import { isWithin, lateWindows } from "./excuses.ts";

/**
 * A request is overtaken when another leaves at least this much ahead of it. A shorter time counts as concurrent, ms.
 */
const AHEAD_MS = 100;
/** This long after its acknowledgement a schedule is surely known to its dispatcher, ms. */
const KNOWN_AFTER_MS = 2_000;

export type Inversion = { id: string; detail: string };

type Sent = Pick<ClientEntry, "id" | "group" | "fireAtMs" | "acknowledgedAtMs"> &
  Pick<Arrival, "arrivedAtMs" | "readableAfterMs">;

/**
 * Finds the first requests that were overtaken: another request of the same lane to the same origin, due later, had its
 * first byte arrive 100 ms or more ahead, whatever the order in which the receiver read them. At that moment the overtaken request had been due for 100 ms and known for
 * two seconds.
 *
 * Compares only requests whose targets answer at once and have no limit of their own, and whose schedules were never
 * changed, so that whatever carried the one could have carried the other. Leaves out moments at which a fault may delay
 * any request, and requests that were claimed by a process that was lost.
 *
 * With `by` "arrivedAtMs" it compares the order in which the receiver read the requests, which includes what is due to
 * the receiver alone.
 */
export function findInversions(
  evidence: Evidence,
  by: "readableAfterMs" | "arrivedAtMs" = "readableAfterMs",
): Inversion[] {
  const windows = lateWindows(evidence);
  const found: Inversion[] = [];
  for (const sent of groupComparable(evidence).values()) {
    sent.sort((a, b) => a.fireAtMs - b.fireAtMs);
    /** The requests due after the current one, in the order in which they arrived. */
    const later: Sent[] = [];
    for (let due = sent.length - 1, next = sent.length - 1; due >= 0; due--) {
      const one = sent[due] as Sent;
      for (; (sent[next] as Sent).fireAtMs > one.fireAtMs; next--) {
        const { arrivedAtMs } = sent[next] as Sent;
        if (!isWithin(windows, arrivedAtMs)) later.splice(arrivedBefore(later, arrivedAtMs), 0, sent[next] as Sent);
      }
      const fromMs = Math.max(one.fireAtMs + AHEAD_MS, one.acknowledgedAtMs + KNOWN_AFTER_MS);
      const overtaking = later[arrivedBefore(later, fromMs)];
      if (overtaking && overtaking.arrivedAtMs <= one[by] - AHEAD_MS)
        found.push({ id: one.id, detail: describe(one, overtaking) });
    }
  }
  return found;
}

/** How many of `sent`, which are in the order of their arrival, arrived before `atMs`. */
function arrivedBefore(sent: readonly Sent[], atMs: number): number {
  let [from, until] = [0, sent.length];
  while (from < until) {
    const middle = (from + until) >>> 1;
    if ((sent[middle] as Sent).arrivedAtMs < atMs) from = middle + 1;
    else until = middle;
  }
  return from;
}

/** The first requests that may be compared, by lane and origin. */
function groupComparable({ client, arrivals, claims, schedules }: Evidence): Map<string, Sent[]> {
  const firstArrivals = new Map(arrivals.filter(({ attempt }) => attempt === 1).map((one) => [one.scheduleId, one]));
  const early = new Set(schedules.filter(({ earlyFire }) => earlyFire).map(({ id }) => id));
  const lost = new Set(lostClaims(claims));
  const groups = new Map<string, Sent[]>();
  for (const entry of client) {
    const arrival = firstArrivals.get(entry.id);
    if (!arrival || !isComparable(entry) || early.has(entry.id) || lost.has(entry.id)) continue;
    const key = `${entry.accountId} ${entry.origin}`;
    const group = groups.get(key) ?? [];
    group.push({ ...entry, arrivedAtMs: arrival.arrivedAtMs, readableAfterMs: arrival.readableAfterMs });
    groups.set(key, group);
  }
  return groups;
}

const isComparable = ({ behaviour, changes }: ClientEntry) => behaviour === "ok" && changes.length === 0;

/** Schedules whose first attempt was claimed by two dispatchers, so that the first of them lost it. */
function lostClaims(claims: readonly ClaimRow[]): string[] {
  const first = new Map<string, string>();
  return claims.flatMap(({ scheduleId, attempt, dispatcherId }) => {
    if (attempt !== 1) return [];
    const former = first.get(scheduleId) ?? dispatcherId;
    first.set(scheduleId, dispatcherId);
    return former === dispatcherId ? [] : [scheduleId];
  });
}

const describe = (one: Sent, overtaking: Sent) =>
  `${one.group}: due ${(overtaking.fireAtMs - one.fireAtMs).toFixed(0)} ms before ${overtaking.id}, and sent ${(one.arrivedAtMs - overtaking.arrivedAtMs).toFixed(0)} ms after it`;
