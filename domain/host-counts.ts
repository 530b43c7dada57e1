import type { StepOutcomes } from "./step-outcomes.ts";

/** Hosts with counts of their own, for each account, environment and hour. */
export const COUNTED_HOSTS_MAX = 100;

/** What the counts of all further hosts stand under. */
export const OTHER_HOSTS = "other";

/** How the attempts to one host ended. */
export type HostTotals = {
  host: string;
  attempts: number;
  outcomes: StepOutcomes;
  /** Schedules that died. */
  dead: number;
  /** First line of the newest error text; null where all were empty. */
  lastError: string | null;
};
