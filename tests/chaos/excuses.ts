import type { Arrival, ClaimRow, Evidence, Injected } from "./evidence.ts";

/**
 * What the injected faults excuse. An outcome may stay unknown when its dispatcher was dead, stopped or cut off from the
 * database from when it was known until the attempt's lease ended; after a fault that ends, it has 15 s to come back.
 */
export function createExcuses({ processes, injected }: Pick<Evidence, "processes" | "injected">) {
  const byId = new Map(processes.map((process) => [process.dispatcherId, process]));

  const faultsOf = (claim: ClaimRow): Injected[] => {
    const process = byId.get(claim.dispatcherId);
    if (!process) return [];
    return injected.filter(({ pid, slot }) =>
      pid === null ? slot === null || slot === process.slot : pid === process.pid,
    );
  };

  return {
    /** Whether the outcome of a request could not be recorded before its lease ended. */
    mayBeUnknown(claim: ClaimRow, arrival: Arrival): boolean {
      const excusing = faultsOf(claim)
        .filter(({ kind }) => CUTS_OFF.has(kind))
        .map(({ fromMs, untilMs }) => ({ fromMs, untilMs: untilMs + RESUME_MS }))
        .sort((a, b) => a.fromMs - b.fromMs);
      let freeFromMs = Math.min(arrival.endedAtMs, claim.deadlineMs);
      let freeMs = 0;
      for (const { fromMs, untilMs } of excusing) {
        if (untilMs <= freeFromMs) continue;
        if (fromMs >= claim.deadlineMs) break;
        freeMs = Math.max(freeMs, fromMs - freeFromMs);
        freeFromMs = untilMs;
      }
      freeMs = Math.max(freeMs, claim.deadlineMs - freeFromMs);
      return freeFromMs > Math.min(arrival.endedAtMs, claim.deadlineMs) && freeMs < ENOUGH_MS;
    },

    /** Whether the process was stopped at some moment between its claim and `untilMs`. */
    wasPaused: (claim: ClaimRow, untilMs: number): boolean =>
      faultsOf(claim).some(
        (fault) => fault.kind === "pause" && fault.fromMs < untilMs && fault.untilMs > claim.claimedAtMs,
      ),
  };
}

const CUTS_OFF = new Set<Injected["kind"]>(["kill", "pause", "partition", "postgres"]);
/** Work resumes within this after a fault has ended. */
const RESUME_MS = 15_000;
/** In so much time without a fault an outcome is recorded. */
const ENOUGH_MS = 3_000;
