import type { DueSchedule } from "#db/queries/schedules/due.ts";

let ids = 0;

/** A schedule as it is read ahead, with an id of its own that is after the ids of those made before it. */
export function dueSchedule(overrides: Partial<DueSchedule> = {}): DueSchedule {
  return {
    id: `id-${String(++ids).padStart(6, "0")}`,
    version: 1,
    shard: 0,
    accountId: "a",
    env: "live",
    dueAtMs: 1_000,
    early: false,
    isRetry: false,
    origin: "https://a.example",
    path: null,
    bytes: 1,
    accountActive: true,
    plan: "indie",
    cpsLimit: null,
    expiresAtMs: null,
    ...overrides,
  };
}
