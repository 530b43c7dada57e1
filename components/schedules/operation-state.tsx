import { CircleCheck, CircleStop, Loader, OctagonX } from "lucide";
import type { OperationStatus } from "#domain/operations.ts";
import { StateWord } from "../ui/state-word.tsx";

const LOOKS = {
  running: { icon: Loader, ink: "text-accent" },
  done: { icon: CircleCheck, ink: "text-ok" },
  stopped: { icon: CircleStop, ink: "text-ink-muted" },
  failed: { icon: OctagonX, ink: "text-bad" },
};

/** The status of an operation as icon, word and colour. */
export function OperationState({ status }: { status: OperationStatus }) {
  return <StateWord look={LOOKS[status]} word={status} />;
}
