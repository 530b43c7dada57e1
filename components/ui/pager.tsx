import type { ElementType, ReactNode } from "react";
import { formatCount } from "../format/number.ts";
import { Button, ButtonLink } from "./button.tsx";

/**
 * The pager of a list: rows shown, total, and links to the previous and next page. A link without a page is disabled; a
 * list of one page has no links.
 */
export function Pager({
  from,
  to,
  total,
  isCapped = false,
  previous,
  next,
  note,
  as,
}: {
  from: number;
  to: number;
  total: number;
  /** More than `total` rows match. */
  isCapped?: boolean;
  previous?: string;
  next?: string;
  note?: ReactNode;
  as?: ElementType;
}) {
  return (
    <nav
      aria-label="Pages"
      className="flex flex-wrap items-center justify-between gap-2 border-line border-t px-4 py-2 text-ink-muted text-xs"
    >
      <span>
        {total === 0
          ? "None"
          : `${formatCount(from)}–${formatCount(to)} of ${isCapped ? "more than " : ""}${formatCount(total)}`}
        . {note}
      </span>
      {(previous ?? next) !== undefined && (
        <span className="flex gap-1.5">
          <Step href={previous} rel="prev" as={as}>
            Previous
          </Step>
          <Step href={next} rel="next" as={as}>
            Next
          </Step>
        </span>
      )}
    </nav>
  );
}

function Step({
  href,
  rel,
  as,
  children,
}: {
  href: string | undefined;
  rel: "prev" | "next";
  as?: ElementType;
  children: string;
}) {
  if (href === undefined) {
    return (
      <Button size="small" disabled>
        {children}
      </Button>
    );
  }
  return (
    <ButtonLink size="small" href={href} rel={rel} as={as}>
      {children}
    </ButtonLink>
  );
}
