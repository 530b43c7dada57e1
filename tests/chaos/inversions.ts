import { type FirstRequest, findOvertaken } from "../helpers/overtaken.ts";
import type { ClaimRow, ClientEntry, Evidence } from "./evidence.ts";
import { isWithin, lateWindows } from "./excuses.ts";

/**
 * A request is overtaken when another leaves at least this much ahead of it. A shorter time counts as concurrent, ms.
 */
const AHEAD_MS = 100;
/** This long after its acknowledgement a schedule is surely known to its dispatcher, ms. */
const KNOWN_AFTER_MS = 2_000;

export type Inversion = { id: string; detail: string };

type Sent = Pick<ClientEntry, "id" | "group"> & FirstRequest & { sentAfterMs: number };

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
  const sent = findComparable(evidence).map((one) => ({
    ...one,
    sentAfterMs: by === "arrivedAtMs" ? one.sentAtMs : one.sentAfterMs,
    isExcused: isWithin(windows, one.sentAtMs),
  }));
  return findOvertaken(sent, AHEAD_MS).map(({ earlier, later }) => ({
    id: earlier.id,
    detail: `${earlier.group}: due ${(later.dueAtMs - earlier.dueAtMs).toFixed(0)} ms before ${later.id}, and sent ${(earlier.sentAtMs - later.sentAtMs).toFixed(0)} ms after it`,
  }));
}

/** The first requests that may be compared. */
function findComparable({ client, arrivals, claims, schedules }: Evidence): Sent[] {
  const firstArrivals = new Map(arrivals.filter(({ attempt }) => attempt === 1).map((one) => [one.scheduleId, one]));
  const early = new Set(schedules.filter(({ earlyFire }) => earlyFire).map(({ id }) => id));
  const lost = new Set(lostClaims(claims));
  return client.flatMap((entry) => {
    const { id, group, fireAtMs } = entry;
    const arrival = firstArrivals.get(id);
    if (!arrival || !isComparable(entry) || early.has(id) || lost.has(id)) return [];
    return {
      ...{ id, group, flow: `${entry.accountId} ${entry.origin}`, dueAtMs: fireAtMs },
      ...{ sentAtMs: arrival.arrivedAtMs, sentAfterMs: arrival.readableAfterMs },
      mayNotWaitFromMs: Math.max(fireAtMs + AHEAD_MS, entry.acknowledgedAtMs + KNOWN_AFTER_MS),
    };
  });
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
