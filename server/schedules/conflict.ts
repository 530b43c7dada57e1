import type { ScheduleRow } from "#db/queries/schedules/find.ts";
import { AppError } from "#domain/errors.ts";

/** CONFLICT that names the status, and for a `firing` schedule the instant by which its attempt is over. */
export function statusConflict(wanted: "cancelled" | "rescheduled", { status, claimDeadline }: ScheduleRow): AppError {
  const advice =
    status === "firing" && claimDeadline
      ? ` An attempt is under way: try again, at the latest after ${claimDeadline.toISOString()}.`
      : "";
  return new AppError("CONFLICT", `A schedule that is ${status} cannot be ${wanted}.${advice}`);
}
