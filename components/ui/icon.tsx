import type { IconNode } from "lucide";
import { createElement } from "react";

/**
 * A Lucide icon, rendered on the server: 16 px, or 14 px when `small`. Hidden from screen readers: the text beside it or
 * the control's label names it.
 */
export function Icon({ of, small = false, className = "" }: { of: IconNode; small?: boolean; className?: string }) {
  return (
    <svg
      className={`shrink-0 ${small ? "size-3.5" : "size-4"} ${className}`}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={small ? 2 : 1.75}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {of.map(([tag, attributes], at) => createElement(tag, { key: at, ...attributes }))}
    </svg>
  );
}
