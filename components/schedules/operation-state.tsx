import { CircleCheck, CircleStop, Loader, OctagonX } from "lucide";
import type { OperationStatus } from "#domain/operations.ts";
import { Icon } from "../ui/icon.tsx";

const LOOKS = {
  running: { icon: Loader, ink: "text-accent" },
  done: { icon: CircleCheck, ink: "text-ok" },
  stopped: { icon: CircleStop, ink: "text-ink-muted" },
  failed: { icon: OctagonX, ink: "text-bad" },
};

/** The status of an operation as icon, word and colour. */
export function OperationState({ status }: { status: OperationStatus }) {
  const { icon, ink } = LOOKS[status];
  return (
    <span className={`inline-flex items-center gap-1.5 whitespace-nowrap align-middle font-medium text-sm ${ink}`}>
      <Icon of={icon} small />
      {status}
    </span>
  );
}
