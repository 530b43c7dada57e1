import { CircleAlert, CircleCheck, Info, Lock, TriangleAlert } from "lucide";
import type { ReactNode } from "react";
import { Icon } from "./icon.tsx";

export type NoticeKind = "plain" | "info" | "ok" | "warn" | "bad";

/**
 * An inline message. `announce` makes screen readers announce it: "alert" at once, "status" politely. `action` is a button
 * or link at the end.
 */
export function Notice({
  kind = "plain",
  announce,
  action,
  icon = ICONS[kind],
  children,
}: {
  kind?: NoticeKind;
  announce?: "alert" | "status";
  action?: ReactNode;
  icon?: (typeof ICONS)[NoticeKind];
  children?: ReactNode;
}) {
  return (
    <div
      role={announce}
      className={`flex flex-wrap items-start gap-x-2.5 gap-y-2 rounded-lg border px-3.5 py-2.5 text-sm ${GROUNDS[kind]}`}
    >
      <Icon of={icon} className={`mt-0.5 ${INKS[kind]}`} />
      <div className="wrap-anywhere min-w-0 flex-1 basis-44 [&_b]:font-medium">{children}</div>
      {action}
    </div>
  );
}

const ICONS = { plain: Lock, info: Info, ok: CircleCheck, warn: TriangleAlert, bad: CircleAlert };

const GROUNDS: Record<NoticeKind, string> = {
  plain: "bg-surface border-line",
  info: "bg-accent-soft border-accent-line",
  ok: "bg-ok-soft border-transparent",
  warn: "bg-warn-soft border-warn-line",
  bad: "bg-bad-soft border-bad-line",
};

const INKS: Record<NoticeKind, string> = {
  plain: "text-ink-muted",
  info: "text-accent",
  ok: "text-ok",
  warn: "text-warn",
  bad: "text-bad",
};
