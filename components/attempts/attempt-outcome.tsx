import { CircleCheck, CircleX } from "lucide";
import { Icon } from "../ui/icon.tsx";

/** How one attempt ended. A schedule whose attempt failed may still succeed: so this is a cross, and no status. */
export function AttemptOutcome({ isSuccess }: { isSuccess: boolean }) {
  return (
    <span
      className={`inline-flex items-center gap-1.5 whitespace-nowrap align-middle font-medium text-sm ${isSuccess ? "text-ok" : "text-warn"}`}
    >
      <Icon of={isSuccess ? CircleCheck : CircleX} small />
      {isSuccess ? "succeeded" : "failed"}
    </span>
  );
}
