import { CircleStop, Pause, Repeat } from "lucide";
import type { RecurrenceStatus } from "#domain/recurrence-step.ts";
import { StateWord } from "../ui/state-word.tsx";

const LOOKS = {
  active: { icon: Repeat, ink: "text-accent" },
  paused: { icon: Pause, ink: "text-warn" },
  ended: { icon: CircleStop, ink: "text-ink-muted" },
};

/** The status of a recurrence as icon, word and colour. */
export function RecurrenceState({ status }: { status: RecurrenceStatus }) {
  return <StateWord look={LOOKS[status]} word={status} />;
}
