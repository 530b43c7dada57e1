import { nameOf, type Place } from "./accounts.ts";
import type { Origin } from "./origin.ts";

/** The connections of all origins, counted one by one. */
export type Recount = {
  /** Open and being opened. */
  connections: number;
  /** Connections with a request, by origin. */
  busyByOrigin: Map<string, number>;
  /** Connections of each account, by the names that `Accounts.counts` uses. */
  byAccount: Map<string, number>;
};

/** Recounts the connections of `origins`, for the audit to compare with the counters. */
export function recount(origins: Iterable<Origin>): Recount {
  const counted: Recount = { connections: 0, busyByOrigin: new Map(), byAccount: new Map() };
  for (const origin of origins) {
    counted.connections += origin.connections + origin.opening.values().reduce((n, { further }) => n + further, 0);
    if (origin.busy.size > 0) counted.busyByOrigin.set(origin.key, origin.busy.size);
    countAccounts(origin, counted.byAccount);
  }
  return counted;
}

function countAccounts({ key, unused, warm, busy, opening }: Origin, counts: Map<string, number>): void {
  const add = (name: string, n = 1) => counts.set(name, (counts.get(name) ?? 0) + n);
  const all: { owner: Place; further?: number }[] = [...unused, ...warm, ...busy.keys(), ...opening];
  for (const { owner, further = 0 } of all) {
    add(nameOf(owner.account, "all"), 1 + further);
    add(nameOf(owner.account, key), 1 + further);
  }
  for (const { owner } of busy.keys()) add(nameOf(owner.account, "busy"));
  for (const { owner, further } of opening) add(nameOf(owner.account, "opening"), 1 + further);
}
