import { CircleCheck, CircleSlash, Clock, type IconNode, OctagonX, RotateCw } from "lucide";
import type { ReactNode } from "react";
import type { ScheduleStatus } from "#domain/states.ts";
import { statusWord } from "../format/status-word.ts";
import { Icon } from "./icon.tsx";

type StatusLook = { icon: IconNode | "dot"; ink: string; badge: string };

/** Icon and colour of each schedule status. */
const LOOKS: Record<ScheduleStatus, StatusLook> = {
  scheduled: { icon: Clock, ink: "text-accent", badge: "bg-accent-soft text-accent" },
  firing: { icon: "dot", ink: "text-accent", badge: "bg-accent text-on-accent" },
  succeeded: { icon: CircleCheck, ink: "text-ok", badge: "bg-ok-soft text-ok" },
  failed: { icon: RotateCw, ink: "text-warn", badge: "bg-warn-soft text-warn" },
  dead: { icon: OctagonX, ink: "text-bad", badge: "bg-bad-soft text-bad" },
  cancelled: { icon: CircleSlash, ink: "text-ink-muted", badge: "bg-sunken text-ink-muted" },
};

/**
 * A schedule status with icon and colour: plain in tables, a `badge` in page headers. `next` says when the next attempt of a
 * retrying schedule is due ("in 2 m").
 */
export function Status({ status, badge = false, next }: { status: ScheduleStatus; badge?: boolean; next?: ReactNode }) {
  const look = LOOKS[status];
  const frame = badge ? `rounded-md py-[0.1875rem] pr-2 pl-[0.4375rem] text-xs ${look.badge}` : `text-sm ${look.ink}`;
  return (
    <span className={`inline-flex items-center gap-1.5 whitespace-nowrap align-middle font-medium ${frame}`}>
      {look.icon === "dot" ? <Dot beats={!badge} /> : <Icon of={look.icon} small />}
      {statusWord(status)}
      {status === "failed" && next && <span className="font-normal">{next}</span>}
    </span>
  );
}

function Dot({ beats }: { beats: boolean }) {
  return (
    <span className={`mx-[0.1875rem] size-2 rounded-full bg-current ${beats ? "beat-on" : ""}`} aria-hidden="true" />
  );
}
