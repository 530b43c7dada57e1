import { ArrowDown, ArrowUp } from "lucide";
import { Icon } from "./icon.tsx";
import { HeadCell } from "./table.tsx";

/** A sortable column: the URL of the list sorted by it, and the current order. */
export type SortLink = { href: string; direction?: "ascending" | "descending" };

/** A column heading that sorts its list. */
export function SortedHead({
  sort: { href, direction },
  className,
  numeric,
  children,
}: {
  sort: SortLink;
  className?: string;
  numeric?: boolean;
  children: string;
}) {
  return (
    <HeadCell aria-sort={direction} className={className} numeric={numeric}>
      <a href={href} className="inline-flex min-h-6 min-w-6 items-center gap-1 hover:text-ink hover:underline">
        {children}
        {direction && <Icon of={direction === "ascending" ? ArrowUp : ArrowDown} small />}
      </a>
    </HeadCell>
  );
}
