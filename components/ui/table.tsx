import type { ReactNode, TdHTMLAttributes, ThHTMLAttributes } from "react";
import { ScrollRegion } from "./scroll-region.tsx";

/**
 * A table with a caption for screen readers. It scrolls horizontally when too wide, also by keyboard. `stacks`: below
 * 768 px rows become lists without the head, so give each cell a `label`.
 */
export function Table({
  caption,
  stacks = false,
  dense = false,
  children,
}: {
  caption: string;
  stacks?: boolean;
  dense?: boolean;
  children: ReactNode;
}) {
  return (
    <ScrollRegion label={caption}>
      <table
        data-dense={dense || undefined}
        data-stacks={stacks || undefined}
        className={`group/table w-full border-collapse text-sm ${stacks ? "max-md:block" : ""}`}
      >
        <caption className="sr-only">{caption}</caption>
        {children}
      </table>
    </ScrollRegion>
  );
}

/** The row of headings. */
export function TableHead({ children }: { children: ReactNode }) {
  return (
    <thead className="group-data-stacks/table:max-md:hidden">
      <tr>{children}</tr>
    </thead>
  );
}

/** The rows. It styles all rows and cells, because classes on each cell would be most of a page. */
export function TableBody({ children }: { children: ReactNode }) {
  return <tbody className={BODY}>{children}</tbody>;
}

export function Row({ selected = false, children }: { selected?: boolean; children: ReactNode }) {
  return <tr data-selected={selected || undefined}>{children}</tr>;
}

/** A column heading. `numeric` columns are right-aligned, like their cells. */
export function HeadCell({
  numeric,
  className = "",
  ...rest
}: ThHTMLAttributes<HTMLTableCellElement> & { numeric?: boolean }) {
  return (
    <th
      scope="col"
      {...rest}
      className={`h-8.5 whitespace-nowrap border-line border-b px-2 font-normal text-ink-muted text-xs first:pl-4 last:pr-4 sm:px-3 ${numeric ? "text-right" : "text-left"} ${className}`}
    />
  );
}

type CellProps = {
  numeric?: boolean;
  /** Shown before the content when rows are stacked. */
  label?: string;
  /** Takes the remaining width and truncates its content. */
  rest?: boolean;
  /** When rows are stacked: start or end of the first line, a line of its own, or hidden. */
  stacked?: "title" | "aside" | "line" | "hidden";
};

export function Cell({
  numeric,
  label,
  rest,
  stacked,
  className = "",
  ...attributes
}: TdHTMLAttributes<HTMLTableCellElement> & CellProps) {
  const look = [numeric && "whitespace-nowrap text-right", rest && "md:cell-rest", className].filter(Boolean).join(" ");
  return <td {...attributes} data-label={label} data-stacked={stacked} className={look || undefined} />;
}

/** The cell that names its row. */
export function RowHead({
  stacked,
  ...attributes
}: ThHTMLAttributes<HTMLTableCellElement> & Pick<CellProps, "stacked">) {
  return <th scope="row" {...attributes} data-stacked={stacked} />;
}

const BODY = [
  "[&>tr]:border-line [&>tr]:border-b [&>tr:last-child]:border-b-0",
  "[&>tr:where(:not([data-selected])):hover]:bg-hover [&>tr:has([type=checkbox]:checked)]:bg-accent-soft [&>tr[data-selected]]:bg-accent-soft",
  "[&>tr:has(.row-link)]:cursor-pointer noscript:[&>tr:has(.row-link)]:cursor-auto",
  "[&>tr:has(.row-link:focus-visible)]:outline-2 [&>tr:has(.row-link:focus-visible)]:-outline-offset-2 [&>tr:has(.row-link:focus-visible)]:outline-accent",
  "[&>tr>*]:h-11 [&>tr>*]:px-2 [&>tr>*]:py-1 [&>tr>*]:align-middle sm:[&>tr>*]:px-3 [&>tr>*:first-child]:pl-4 [&>tr>*:last-child]:pr-4",
  "group-data-dense/table:[&>tr>*]:h-8.5",
  // No font weight, so that a cell can set one.
  "[:where(&>tr>th)]:text-left [:where(&>tr>th)]:font-normal",
  "group-data-stacks/table:max-md:block",
  "group-data-stacks/table:max-md:[&>tr]:flex group-data-stacks/table:max-md:[&>tr]:flex-wrap group-data-stacks/table:max-md:[&>tr]:items-center",
  "group-data-stacks/table:max-md:[&>tr]:gap-x-3 group-data-stacks/table:max-md:[&>tr]:gap-y-0.5 group-data-stacks/table:max-md:[&>tr]:px-3.5 group-data-stacks/table:max-md:[&>tr]:py-2.5",
  "group-data-stacks/table:max-md:[&>tr>*]:flex group-data-stacks/table:max-md:[&>tr>*]:h-auto group-data-stacks/table:max-md:[&>tr>*]:min-h-6.5 group-data-stacks/table:max-md:[&>tr>*]:min-w-0",
  "group-data-stacks/table:max-md:[&>tr>*]:items-center group-data-stacks/table:max-md:[&>tr>*]:p-0",
  "group-data-stacks/table:max-md:[&>tr>*:first-child]:pl-0 group-data-stacks/table:max-md:[&>tr>*:last-child]:pr-0",
  "group-data-stacks/table:max-md:[&>tr>[data-stacked=line]]:basis-full group-data-stacks/table:max-md:[&>tr>[data-stacked=title]]:-order-2",
  "group-data-stacks/table:max-md:[&>tr>[data-stacked=aside]]:-order-1 group-data-stacks/table:max-md:[&>tr>[data-stacked=aside]]:ml-auto",
  "group-data-stacks/table:max-md:[&>tr>[data-stacked=hidden]]:hidden",
  "group-data-stacks/table:max-md:[&>tr>[data-label]]:before:mr-2 group-data-stacks/table:max-md:[&>tr>[data-label]]:before:text-ink-muted",
  "group-data-stacks/table:max-md:[&>tr>[data-label]]:before:text-xs group-data-stacks/table:max-md:[&>tr>[data-label]]:before:content-[attr(data-label)]",
].join(" ");
