import { CircleCheck, CircleSlash } from "lucide";
import { Icon } from "../ui/icon.tsx";

/** The status of an account, with icon and colour. */
export function AccountStatus({ status }: { status: string }) {
  const isActive = status === "active";
  return (
    <span
      className={`inline-flex items-center gap-1.5 whitespace-nowrap align-middle ${isActive ? "text-ok" : "text-ink-muted"}`}
    >
      <Icon of={isActive ? CircleCheck : CircleSlash} small />
      {status}
    </span>
  );
}
