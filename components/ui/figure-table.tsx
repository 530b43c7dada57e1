import type { ReactNode } from "react";

/**
 * A plain table of many figures: the first column names the row, the others are right-aligned numbers. The table
 * carries all classes, because classes on each cell of a hundred rows would be most of a page.
 */
export function FigureTable({
  caption,
  columns,
  rows,
}: {
  caption: string;
  columns: readonly string[];
  rows: readonly { key: string; id?: string; cells: readonly ReactNode[] }[];
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
    <section className="overflow-x-auto focus-visible:-outline-offset-2" aria-label={caption} tabIndex={0}>
      <table className={LOOK}>
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, id, cells: [name, ...figures] }) => (
            <tr key={key} id={id}>
              <th scope="row">{name}</th>
              {figures.map((figure, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a column keeps its place
                <td key={at}>{figure}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const LOOK =
  "w-full border-collapse text-sm [&_td]:h-8.5 [&_td]:whitespace-nowrap [&_td]:px-2 [&_td]:text-right sm:[&_td]:px-3 " +
  "[&_th]:h-8.5 [&_th]:whitespace-nowrap [&_th]:px-2 [&_th]:text-right [&_th]:font-normal sm:[&_th]:px-3 [&_th:first-child]:pl-4 " +
  "[&_th:first-child]:text-left [&_td:last-child]:pr-4 [&_th:last-child]:pr-4 [&_thead_th]:text-ink-muted [&_thead_th]:text-xs " +
  "[&_tr]:border-line [&_tr]:border-b [&_tbody_tr:last-child]:border-b-0 [&_tbody_tr:hover]:bg-hover [&_tbody_tr:target]:bg-accent-soft";
