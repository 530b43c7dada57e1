import type { ReactNode, TdHTMLAttributes, ThHTMLAttributes } from "react";

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
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section className="overflow-x-auto focus-visible:-outline-offset-2" aria-label={caption} tabIndex={0}>
      <table
        data-dense={dense || undefined}
        data-stacks={stacks || undefined}
        className={`group/table w-full border-collapse text-sm ${stacks ? "max-md:block" : ""}`}
      >
        <caption className="sr-only">{caption}</caption>
        {children}
      </table>
    </section>
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

export function TableBody({ children }: { children: ReactNode }) {
  return <tbody className="group-data-stacks/table:max-md:block">{children}</tbody>;
}

export function Row({ selected = false, children }: { selected?: boolean; children: ReactNode }) {
  return (
    <tr
      className={
        `border-line border-b last:border-b-0 ${selected ? "bg-accent-soft" : "hover:bg-hover has-[[type=checkbox]:checked]:bg-accent-soft"} ` +
        "group-data-stacks/table:max-md:flex group-data-stacks/table:max-md:flex-wrap group-data-stacks/table:max-md:items-center " +
        "group-data-stacks/table:max-md:gap-x-3 group-data-stacks/table:max-md:gap-y-0.5 group-data-stacks/table:max-md:px-3.5 group-data-stacks/table:max-md:py-2.5"
      }
    >
      {children}
    </tr>
  );
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
  return (
    <td {...attributes} data-label={label} className={`${cellLook({ numeric, label, rest, stacked })} ${className}`} />
  );
}

/** The cell that names its row. */
export function RowHead({
  stacked,
  className = "",
  ...attributes
}: ThHTMLAttributes<HTMLTableCellElement> & Pick<CellProps, "stacked">) {
  return <th scope="row" {...attributes} className={`${cellLook({ stacked })} text-left font-normal ${className}`} />;
}

function cellLook({ numeric, label, rest, stacked }: CellProps): string {
  return [
    "h-11 px-2 py-1 align-middle first:pl-4 last:pr-4 sm:px-3 group-data-dense/table:h-8.5",
    numeric ? "whitespace-nowrap text-right" : "",
    rest ? "md:cell-rest" : "",
    "group-data-stacks/table:max-md:flex group-data-stacks/table:max-md:h-auto group-data-stacks/table:max-md:min-h-6.5 group-data-stacks/table:max-md:min-w-0",
    "group-data-stacks/table:max-md:items-center group-data-stacks/table:max-md:px-0 group-data-stacks/table:max-md:py-0 group-data-stacks/table:max-md:last:pr-0 group-data-stacks/table:max-md:first:pl-0",
    stacked ? STACKED[stacked] : "",
    label
      ? "group-data-stacks/table:max-md:before:mr-2 group-data-stacks/table:max-md:before:text-ink-muted group-data-stacks/table:max-md:before:text-xs group-data-stacks/table:max-md:before:content-[attr(data-label)]"
      : "",
  ].join(" ");
}

const STACKED: Record<NonNullable<CellProps["stacked"]>, string> = {
  line: "group-data-stacks/table:max-md:basis-full",
  title: "group-data-stacks/table:max-md:-order-2",
  aside: "group-data-stacks/table:max-md:-order-1 group-data-stacks/table:max-md:ml-auto",
  hidden: "group-data-stacks/table:max-md:hidden",
};
