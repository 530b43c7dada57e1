import { CircleCheck, CircleSlash, Clock, type IconNode, OctagonX, RotateCw } from "lucide";
import type { ScheduleStatus } from "#domain/states.ts";
import { Icon } from "./icon.tsx";

type StatusLook = { icon: IconNode | "dot"; ink: string; badge: string };

/** Icon and colour of each schedule status. Its label is the status name, as in API and log. */
const LOOKS: Record<ScheduleStatus, StatusLook> = {
  scheduled: { icon: Clock, ink: "text-accent", badge: "bg-accent-soft text-accent" },
  firing: { icon: "dot", ink: "text-accent", badge: "bg-accent text-on-accent" },
  succeeded: { icon: CircleCheck, ink: "text-ok", badge: "bg-ok-soft text-ok" },
  failed: { icon: RotateCw, ink: "text-warn", badge: "bg-warn-soft text-warn" },
  dead: { icon: OctagonX, ink: "text-bad", badge: "bg-bad-soft text-bad" },
  cancelled: { icon: CircleSlash, ink: "text-ink-muted", badge: "bg-sunken text-ink-muted" },
};

/** A schedule status with icon and colour: plain in tables, a `badge` in page headers. */
export function Status({ status, badge = false }: { status: ScheduleStatus; badge?: boolean }) {
  const look = LOOKS[status];
  const frame = badge ? `rounded-md py-[0.1875rem] pr-2 pl-[0.4375rem] text-xs ${look.badge}` : `text-sm ${look.ink}`;
  return (
    <span className={`inline-flex items-center gap-1.5 whitespace-nowrap align-middle font-medium ${frame}`}>
      {look.icon === "dot" ? <Dot beats={!badge} /> : <Icon of={look.icon} small />}
      {status}
    </span>
  );
}

function Dot({ beats }: { beats: boolean }) {
  return (
    <span
      className={`mx-[0.1875rem] size-2 rounded-full bg-current ${beats ? "animate-beat" : ""}`}
      aria-hidden="true"
    />
  );
}
