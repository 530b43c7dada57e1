import { CopyPlus, Repeat2, Zap } from "lucide";
import { SCHEDULE_ACTIONS, type ScheduleAction } from "#domain/schedule-actions.ts";
import { isTerminal } from "#domain/states.ts";
import { Button, ButtonLink } from "../ui/button.tsx";
import { Card, CardBody, CardHead } from "../ui/card.tsx";
import { Icon } from "../ui/icon.tsx";
import type { ScheduleLinks, ShownSchedule } from "./shown-schedule.ts";

const NAMES: Record<ScheduleAction, string> = {
  fire: "Send now",
  reschedule: "Reschedule",
  replay: "Replay",
  clone: "Clone",
  cancel: "Cancel",
};
const BAR = ["fire", "replay", "clone", "cancel"] as const;
const ICONS = { fire: Zap, replay: Repeat2, clone: CopyPlus, cancel: undefined };

const EFFECTS: Record<ScheduleAction, string> = {
  fire: "Makes its next attempt now.",
  reschedule: "Moves it to another instant.",
  replay: "Sends the same request as a new schedule. The target may then get it twice.",
  clone: "Makes a new schedule to the same target, with another time, payload or headers.",
  cancel: "Stops all further attempts.",
};

/** The most frequent actions on a schedule, for the header of its page; on a phone only the most likely two. */
export function ActionButtons({ schedule, links }: { schedule: ShownSchedule; links: ScheduleLinks }) {
  const onPhones: readonly ScheduleAction[] = isTerminal(schedule.status) ? ["replay", "clone"] : ["fire", "cancel"];
  return BAR.filter((action) => schedule.problems[action] === null).map((action) => (
    <ButtonLink
      key={action}
      href={links[action]}
      kind={action === "cancel" ? "danger" : action === "replay" && schedule.status === "dead" ? "primary" : "plain"}
      className={onPhones.includes(action) ? "" : "max-sm:hidden"}
    >
      {ICONS[action] && <Icon of={ICONS[action]} />}
      {NAMES[action]}
    </ButtonLink>
  ));
}

/** All actions on a schedule; an impossible one says why. */
export function ActionsCard({ schedule, links }: { schedule: ShownSchedule; links: ScheduleLinks }) {
  return (
    <Card>
      <CardHead title="Actions" />
      <CardBody>
        <ul className="grid gap-3 text-sm">
          {SCHEDULE_ACTIONS.map((action) => {
            const problem = schedule.problems[action];
            return (
              <li
                key={action}
                className="grid grid-cols-[6.25rem_minmax(0,1fr)] items-start gap-3 [&>p]:pt-[0.1875rem]"
              >
                {problem === null ? (
                  <ButtonLink size="small" href={links[action]} kind={action === "cancel" ? "danger" : "plain"}>
                    {NAMES[action]}
                  </ButtonLink>
                ) : (
                  <Button size="small" disabled aria-describedby={`why-${action}`}>
                    {NAMES[action]}
                  </Button>
                )}
                <p id={`why-${action}`} className={problem === null ? "text-ink-soft" : "text-ink-muted"}>
                  {problem ?? EFFECTS[action]}
                </p>
              </li>
            );
          })}
        </ul>
      </CardBody>
    </Card>
  );
}
