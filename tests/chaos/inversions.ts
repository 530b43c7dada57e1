import type { ClaimRow, ClientEntry, Evidence } from "./evidence.ts";
import { isWithin, lateWindows } from "./excuses.ts";

/** One left so much ahead of another: less is concurrent. */
const AHEAD_MS = 100;
/** So long after it was acknowledged a schedule is surely known to its dispatcher. */
const KNOWN_AFTER_MS = 2_000;

export type Inversion = { id: string; detail: string };

type Sent = { id: string; group: string; fireAtMs: number; acknowledgedAtMs: number; arrivedAtMs: number };

/**
 * First requests that were overtaken within their lane, to the same origin, by one that was due later: its first byte
 * came 100 ms or more ahead, at a moment at which the one overtaken had been due for 100 ms and known for two seconds.
 *
 * Only those count that answer at once, were never changed and go to a target without a bound of its own, so that
 * whatever carried the one could have carried the other. No fault may make anybody late at that moment, and the one
 * overtaken may not have been claimed by a process that was lost with it.
 */
export function findInversions(evidence: Evidence): Inversion[] {
  const windows = lateWindows(evidence);
  const found: Inversion[] = [];
  for (const sent of groupComparable(evidence).values()) {
    // In due order; of those due later, whoever left first is looked for.
    sent.sort((a, b) => a.fireAtMs - b.fireAtMs);
    for (const [index, one] of sent.entries()) {
      const fromMs = Math.max(one.fireAtMs + AHEAD_MS, one.acknowledgedAtMs + KNOWN_AFTER_MS);
      const untilMs = one.arrivedAtMs - AHEAD_MS;
      if (fromMs > untilMs) continue;
      const overtaking = sent
        .slice(index + 1)
        .find(
          ({ fireAtMs, arrivedAtMs }) =>
            fireAtMs > one.fireAtMs &&
            arrivedAtMs >= fromMs &&
            arrivedAtMs <= untilMs &&
            !isWithin(windows, arrivedAtMs),
        );
      if (overtaking) found.push({ id: one.id, detail: describe(one, overtaking) });
    }
  }
  return found;
}

/** First requests that may be compared with each other, by lane and origin. */
function groupComparable({ client, arrivals, claims, schedules }: Evidence): Map<string, Sent[]> {
  const firstArrivals = new Map(
    arrivals.filter(({ attempt }) => attempt === 1).map((one) => [one.scheduleId, one.arrivedAtMs]),
  );
  const early = new Set(schedules.filter(({ earlyFire }) => earlyFire).map(({ id }) => id));
  const lost = new Set(lostClaims(claims));
  const groups = new Map<string, Sent[]>();
  for (const entry of client) {
    const arrivedAtMs = firstArrivals.get(entry.id);
    if (arrivedAtMs === undefined || !isComparable(entry) || early.has(entry.id) || lost.has(entry.id)) continue;
    const key = `${entry.accountId} ${entry.origin}`;
    const group = groups.get(key) ?? [];
    group.push({ ...entry, arrivedAtMs });
    groups.set(key, group);
  }
  return groups;
}

const isComparable = ({ behaviour, changes }: ClientEntry) => behaviour === "ok" && changes.length === 0;

/** Schedules whose first attempt was claimed by two dispatchers: the first of them lost it. */
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
