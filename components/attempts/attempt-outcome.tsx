import { CircleCheck, CircleX } from "lucide";
import { Icon } from "../ui/icon.tsx";

/** How one attempt ended. A failed attempt is a cross and not a status, because its schedule may still succeed. */
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
