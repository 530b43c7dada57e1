/*
 * scheduled → firing → succeeded | failed | dead        claim, then the outcome of the attempt
 * failed → firing                                       the next attempt is claimed
 * scheduled → scheduled                                 the owner moved fire_at
 * failed → failed                                       the owner made the next attempt due now
 * scheduled | failed → cancelled                        the owner cancelled it
 * scheduled | failed → dead                             it expired before its next attempt
 * firing → scheduled | failed                           released: claimed, but nothing was sent
 * firing → cancelled                                    only when its account is deleted
 */

export const STATUSES = ["scheduled", "firing", "succeeded", "failed", "dead", "cancelled"] as const;

export type ScheduleStatus = (typeof STATUSES)[number];

/** For each status, the statuses that an UPDATE may change it to. A status without any is terminal. */
const TRANSITIONS = {
  scheduled: ["firing", "scheduled", "dead", "cancelled"],
  firing: ["succeeded", "failed", "dead", "scheduled", "cancelled"],
  failed: ["firing", "failed", "dead", "cancelled"],
  succeeded: [],
  dead: [],
  cancelled: [],
} as const satisfies Record<ScheduleStatus, readonly ScheduleStatus[]>;

/** True for a status that no transition leaves. */
export function isTerminal(status: ScheduleStatus): boolean {
  return TRANSITIONS[status].length === 0;
}

/** True when the transition table lets `from` become `to`. */
export function canTransition(from: ScheduleStatus, to: ScheduleStatus): boolean {
  const targets: readonly ScheduleStatus[] = TRANSITIONS[from];
  return targets.includes(to);
}
