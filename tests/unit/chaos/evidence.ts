import type { Arrival, ClientEntry, Evidence } from "../../chaos/evidence.ts";

/** When the load of `evidenceOf` began, epoch ms. From 15 s later on no request may be late. */
export const BEGAN = 1_000_000;

/** Evidence of a run in which nothing happened but what `rest` says. */
export function evidenceOf(rest: Partial<Evidence>): Evidence {
  return {
    client: [],
    recurring: [],
    recurrences: [],
    occurrences: [],
    arrivals: [],
    schedules: [],
    attempts: [],
    claims: [],
    injected: [],
    audits: [],
    attacks: [],
    lifetimes: [],
    socketCounts: [],
    processSockets: [],
    processes: [
      { dispatcherId: "d1", pid: 11, slot: 0 },
      { dispatcherId: "d2", pid: 12, slot: 1 },
    ],
    startedAtMs: BEGAN,
    bounds: { perAccountAndOrigin: 4, perAccount: 6, perOrigin: 8, total: 16 },
    retryPolicy: { retryAttempts: 2, retryBackoffMs: 1_000 },
    ...rest,
  };
}

/** One schedule of the control group, due `atMs` after the run began and acknowledged three seconds before that. */
export const created = (id: string, atMs: number, rest: Partial<ClientEntry> = {}): ClientEntry => ({
  id,
  accountId: "a1",
  group: "control",
  origin: "https://localhost:1",
  behaviour: "ok",
  bodyHash: "aa",
  fireAtMs: BEGAN + atMs,
  acknowledgedAtMs: BEGAN + atMs - 3_000,
  changes: [],
  ...rest,
});

/** The first request of a schedule, `atMs` after the run began. The receiver was idle when it read it. */
export const arrived = (id: string, atMs: number, forMs = 5): Arrival => ({
  scheduleId: id,
  attempt: 1,
  statusCode: 200,
  bodyHash: "aa",
  arrivedAtMs: BEGAN + atMs,
  readableAfterMs: BEGAN + atMs,
  endedAtMs: BEGAN + atMs + forMs,
});
