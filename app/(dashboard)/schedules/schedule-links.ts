import type { ScheduleLinks } from "#components/schedules/shown-schedule.ts";
import type { Environment } from "#domain/environment.ts";
import { hrefIn } from "../view.ts";

/** The pages of the actions on a schedule. */
export function scheduleLinks(env: Environment, id: string): ScheduleLinks {
  return {
    fire: hrefIn(env, `/schedules/${id}/fire`),
    cancel: hrefIn(env, `/schedules/${id}/cancel`),
    reschedule: hrefIn(env, `/schedules/${id}/reschedule`),
    replay: hrefIn(env, `/schedules/${id}/replay`),
    clone: hrefIn(env, "/schedules/new", { from: id }),
  };
}
