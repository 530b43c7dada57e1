import type { IconNode } from "lucide";
import { createElement } from "react";

/**
 * A Lucide icon, rendered on the server: 16 px, or 14 px when `small`. Hidden from screen readers: the text beside it or
 * the control's label names it.
 */
export function Icon({ of, small = false, className = "" }: { of: IconNode; small?: boolean; className?: string }) {
  return (
    <svg
      className={[small ? "icon-small" : "icon", className].filter(Boolean).join(" ")}
      viewBox="0 0 24 24"
      aria-hidden="true"
    >
      {of.map(([tag, attributes], at) => createElement(tag, { key: at, ...attributes }))}
    </svg>
  );
}
