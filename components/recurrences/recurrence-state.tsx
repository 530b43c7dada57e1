import { CircleStop, Pause, Repeat } from "lucide";
import type { RecurrenceStatus } from "#domain/recurrence-step.ts";
import { Icon } from "../ui/icon.tsx";

const LOOKS = {
  active: { icon: Repeat, ink: "text-accent" },
  paused: { icon: Pause, ink: "text-warn" },
  ended: { icon: CircleStop, ink: "text-ink-muted" },
};

/** The status of a recurrence, with icon and colour. */
export function RecurrenceState({ status }: { status: RecurrenceStatus }) {
  const { icon, ink } = LOOKS[status];
  return (
    <span className={`inline-flex items-center gap-1.5 whitespace-nowrap align-middle font-medium text-sm ${ink}`}>
      <Icon of={icon} small />
      {status}
    </span>
  );
}
