import { Check, Clock, type IconNode, OctagonX, Plus, Slash, X } from "lucide";
import type { ReactNode } from "react";
import { Icon } from "./icon.tsx";

export type TimelineNode = "created" | "due" | "failed" | "succeeded" | "dead" | "cancelled" | "running" | "ahead";

/** A list of events, oldest first. */
export function TimelineList({ children }: { children: ReactNode }) {
  return <ol className="grid">{children}</ol>;
}

/** One past or future event: title, note and instant; `children` are shown below. */
export function TimelineEntry({
  node,
  title,
  note,
  at,
  isAhead = false,
  children,
}: {
  node: TimelineNode;
  title: string;
  note?: ReactNode;
  /** The instant, shown at the right. */
  at?: ReactNode;
  isAhead?: boolean;
  children?: ReactNode;
}) {
  return (
    <li
      className={
        "relative grid grid-cols-[1.5rem_minmax(0,1fr)] gap-3 pb-5 last:pb-0 before:absolute before:top-6 before:bottom-0 " +
        `before:left-[0.71875rem] before:border-line-strong before:border-l before:opacity-60 last:before:hidden ${isAhead ? "before:border-dashed" : ""}`
      }
    >
      <Node node={node} isAhead={isAhead} />
      <div className="grid min-w-0 grid-cols-1 gap-2">
        <div className="flex min-h-6 flex-wrap items-baseline gap-x-3 gap-y-0.5 pt-0.5 text-sm">
          <b className="font-medium">{title}</b>
          {note && <span className="text-ink-soft">{note}</span>}
          {at && <span className="ml-auto text-ink-muted text-xs">{at}</span>}
        </div>
        {children}
      </div>
    </li>
  );
}

function Node({ node, isAhead }: { node: TimelineNode; isAhead: boolean }) {
  const { icon } = NODES[node];
  const look = isAhead && node === "dead" ? NODES.ahead.look : NODES[node].look;
  return (
    <span className={`z-10 grid size-6 place-items-center rounded-full ${look}`} aria-hidden="true">
      {icon === "zero" ? <span className="font-medium text-2xs">0</span> : <Icon of={icon} small />}
    </span>
  );
}

const RING = "bg-surface text-ink-soft ring-1 ring-inset ring-line-strong";

const NODES: Record<TimelineNode, { icon: IconNode | "zero"; look: string }> = {
  created: { icon: Plus, look: RING },
  due: { icon: "zero", look: "bg-accent text-on-accent" },
  failed: { icon: X, look: "bg-warn-soft text-warn ring-1 ring-inset ring-warn-line" },
  succeeded: { icon: Check, look: "bg-ok-soft text-ok" },
  dead: { icon: OctagonX, look: "bg-bad-soft text-bad" },
  cancelled: { icon: Slash, look: RING },
  running: { icon: Clock, look: "bg-accent-soft text-accent" },
  ahead: { icon: Clock, look: "border border-dashed border-line-strong bg-surface text-ink-soft" },
};
