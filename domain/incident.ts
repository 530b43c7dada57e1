/**
 * Schedules that are dead or retrying and have in common the host, the last answer and the time: no hour between them passed
 * without one that was due.
 */
export type IncidentGroup = {
  /** As in the target's URL, with the port unless it is the scheme's own. */
  host: string;
  /** Status code of the last answer; null where there was none. */
  code: number | null;
  /** First line of the newest last answer that had a text, or why there was no answer. */
  error: string | null;
  /** Dead ones without a copy. A copy that died is a dead schedule of its own. */
  dead: number;
  retrying: number;
  /** Dead ones of which a copy was delivered. */
  delivered: number;
  /** Dead ones of which a copy has not ended, and none was delivered. */
  underWay: number;
  /** The first and last of them that was due, both included. */
  from: Date;
  to: Date;
  /** The same of the dead ones without a copy; null where there is none. */
  deadFrom: Date | null;
  deadTo: Date | null;
  /** The first next attempt of those that are retrying; null where there is none. */
  nextAttemptAt: Date | null;
  /** The operation that made the newest copy; null when none did. */
  operationId: string | null;
};

/** Two groups of one host and answer are at least this far apart, ms. */
export const INCIDENT_GAP_MS = 3_600_000;
