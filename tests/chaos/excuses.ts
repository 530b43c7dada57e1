import { ATTEMPT_DEADLINE_MS } from "#domain/timing.ts";
import type { Arrival, ClaimRow, Evidence, Injected } from "./evidence.ts";

/**
 * Decides what the injected faults excuse. The outcome of an attempt may stay unknown when its dispatcher was dead,
 * stopped or cut off from the database from the moment the outcome was known until the attempt's lease ended. After a
 * fault ends, the dispatcher has 15 s to recover.
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

    /** When the process of a claim was killed, epoch ms; Infinity for one that was not. */
    endedAtMs: (claim: ClaimRow): number =>
      Math.min(...faultsOf(claim).map(({ kind, fromMs }) => (kind === "kill" ? fromMs : Number.POSITIVE_INFINITY))),

    /** Whether the process was stopped at some moment between its claim and `untilMs`. */
    wasPaused: (claim: ClaimRow, untilMs: number): boolean =>
      faultsOf(claim).some(
        (fault) => fault.kind === "pause" && fault.fromMs < untilMs && fault.untilMs > claim.claimedAtMs,
      ),

    /**
     * Whether a request came when its time was over, since its process was stopped before it wrote. The process then waits no
     * longer for the answer.
     */
    wasOutOfTime: (claim: ClaimRow, { arrivedAtMs }: Arrival): boolean =>
      arrivedAtMs > claim.claimedAtMs + ATTEMPT_DEADLINE_MS &&
      faultsOf(claim).some(
        ({ kind, fromMs, untilMs }) => kind === "pause" && fromMs > claim.claimedAtMs && untilMs < arrivedAtMs,
      ),

    /**
     * Whether the process may have been stopped between its last check and the write, and have written when it ran
     * again, which no check can exclude. The stop then began when the request was to leave, and the request arrived
     * right after the stop ended. A stop that began earlier excuses nothing: the check comes after it.
     */
    wasPausedAtWrite: (claim: ClaimRow, fireAtMs: number, { arrivedAtMs }: Arrival): boolean => {
      const leavesAtMs = Math.max(fireAtMs, claim.claimedAtMs);
      return faultsOf(claim).some(
        ({ kind, fromMs, untilMs }) =>
          kind === "pause" &&
          Math.abs(fromMs - leavesAtMs) < WRITE_MS &&
          untilMs < arrivedAtMs &&
          arrivedAtMs < untilMs + WRITE_MS,
      );
    },
  };
}

/** A span of time, epoch ms. */
export type Window = { fromMs: number; untilMs: number };

/**
 * The windows in which a fault may delay any request: from the beginning of a fault until 15 s after its end, and the
 * first 15 s of the run, in which the fleet divides the shards. The fault of a process that is gone ends when another
 * process was started in its place. It does not matter which process a fault hits. What adversaries do opens no window, nor does a snapshot that is held.
 */
export function lateWindows({ startedAtMs, injected }: Pick<Evidence, "startedAtMs" | "injected">): Window[] {
  const faults = injected
    .filter(({ kind, byAdversary }) => !byAdversary && kind !== "snapshot")
    .map(({ fromMs, untilMs, replacedAtMs }) => ({ fromMs, untilMs: (replacedAtMs ?? untilMs) + RESUME_MS }));
  return [{ fromMs: Number.NEGATIVE_INFINITY, untilMs: startedAtMs + RESUME_MS }, ...faults];
}

/** Whether a moment is within one of the windows. */
export const isWithin = (windows: readonly Window[], atMs: number): boolean =>
  windows.some(({ fromMs, untilMs }) => fromMs <= atMs && atMs < untilMs);

const CUTS_OFF = new Set<Injected["kind"]>(["kill", "pause", "partition", "postgres"]);
/** Time within which a process works again after a fault has ended. */
const RESUME_MS = 15_000;
/** Time without a fault within which an outcome is recorded. */
const ENOUGH_MS = 3_000;
/** A request is written this soon after its last check, also while the machine is busy. */
const WRITE_MS = 20;
