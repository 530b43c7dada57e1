import type { ScheduleRow } from "#db/queries/schedules/find.ts";
import { AppError } from "#domain/errors.ts";

/** CONFLICT that names the status and, for a `firing` schedule, when its attempt ends at the latest. */
export function statusConflict(action: "cancelled" | "rescheduled", { status, claimDeadline }: ScheduleRow): AppError {
  const advice =
    status === "firing" && claimDeadline
      ? ` An attempt is in progress and ends by ${claimDeadline.toISOString()}: try again then.`
      : "";
  return new AppError("CONFLICT", `A schedule that is ${status} cannot be ${action}.${advice}`);
}
