import { SCHEDULE_ACTIONS, type ScheduleAction } from "#domain/schedule-actions.ts";
import type { Command } from "../layout/commands.ts";
import type { ScheduleLinks, ShownSchedule } from "./shown-schedule.ts";

/** The commands of the palette on a schedule's page: the actions that it allows now, and what can be copied of it. */
export function scheduleCommands(
  { id, targetUrl, problems }: Pick<ShownSchedule, "id" | "targetUrl" | "problems">,
  links: ScheduleLinks,
): Command[] {
  const group = "This schedule";
  return [
    ...SCHEDULE_ACTIONS.filter((action) => problems[action] === null).map((action) => ({
      group,
      label: NAMES[action],
      href: links[action],
    })),
    { group, label: "Copy the id of this schedule", copy: id },
    { group, label: "Copy the URL of its target", copy: targetUrl },
  ];
}

const NAMES: Record<ScheduleAction, string> = {
  fire: "Send this schedule now",
  reschedule: "Reschedule this schedule",
  replay: "Replay this schedule",
  clone: "Clone this schedule",
  cancel: "Cancel this schedule",
};
