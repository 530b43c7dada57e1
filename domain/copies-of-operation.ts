import { isTerminal, type ScheduleStatus, STATUSES } from "./states.ts";

/** How many copies that an operation made have each status. `isCapped`: it made more than were counted. */
export type CopyCounts = { byStatus: Readonly<Record<ScheduleStatus, number>>; isCapped: boolean };

/** How far the copies of a replay are. */
export type CopyProgress = {
  delivered: number;
  dead: number;
  /** Copies that have not ended. */
  open: number;
  /** All copies, and while the operation is running those that it has still to make. */
  of: number;
  /** Copies that are deleted already, at the end of the plan's retention, or that were made before they were counted. */
  unknown: number;
  /** More than these were made, and not counted. */
  isCapped: boolean;
  /** The operation has ended, and each of its copies has. */
  isSettled: boolean;
};

/** How far the copies are of an operation that made `acted` of them. */
export function copyProgress(
  { isRunning, total, acted, leftAlone }: { isRunning: boolean; total: number; acted: number; leftAlone: number },
  { byStatus, isCapped }: CopyCounts,
): CopyProgress {
  const sum = (statuses: readonly ScheduleStatus[]) => statuses.reduce((all, status) => all + byStatus[status], 0);
  const open = sum(STATUSES.filter((status) => !isTerminal(status)));
  const counted = sum(STATUSES);
  // The copies are read after the operation, which may have gone on.
  const made = Math.max(acted, counted);
  return {
    delivered: byStatus.succeeded,
    dead: byStatus.dead,
    open,
    isCapped,
    of: isRunning ? Math.max(total - leftAlone, made) : made,
    unknown: isCapped ? 0 : made - counted,
    isSettled: !isRunning && open === 0,
  };
}
