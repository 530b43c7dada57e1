import { styleText } from "node:util";
import { cutTo, widthOf } from "./cell-width.ts";
import { printable } from "./printable.ts";

/** A column of a table for people. */
export type Column<T> = {
  title: string;
  value(item: T): string;
  align?: "right";
  /** The column that is cut where the terminal is too narrow. At most one of a table. */
  shrinks?: true;
  /** The colour of a value, where the terminal has colours. */
  colour?(item: T): "red" | "green" | "yellow" | "dim" | undefined;
};

export type Table<T> = {
  /** Prints these items, below the titles the first time. */
  add(items: readonly T[]): void;
};

const GAP = "  ";
/** A column is not cut below this. */
const CELL_WIDTH_MIN = 12;

/** A table as wide as the terminal. Where there is none, nothing is cut and nothing has colours. */
export function createTable<T>(stream: NodeJS.WriteStream, columns: readonly Column<T>[]): Table<T> {
  let widths: number[] | undefined;
  const write = (cells: readonly string[], paint: (text: string, at: number) => string) => {
    const padded = cells.map((cell, at) => pad(cell, widths?.[at] ?? 0, columns[at]?.align));
    const last = padded.length - 1;
    const painted = padded.map((cell, at) => paint(at === last ? cell.trimEnd() : cell, at));
    stream.write(`${painted.join(GAP)}\n`);
  };
  return {
    add(items) {
      if (items.length === 0) return;
      const rows = items.map((item) => columns.map(({ value }) => printable(value(item))));
      const titles = columns.map(({ title }) => title);
      if (widths === undefined) {
        widths = fit([titles, ...rows], columns, stream.isTTY ? stream.columns : undefined);
        write(titles, (text) => styleText("dim", text, { stream }));
      }
      for (const [at, row] of rows.entries()) {
        write(row, (text, column) => {
          const colour = columns[column]?.colour?.(items[at] as T);
          return colour ? styleText(colour, text, { stream }) : text;
        });
      }
    },
  };
}

function fit<T>(rows: string[][], columns: readonly Column<T>[], total: number | undefined): number[] {
  const widths = columns.map((_, at) => Math.max(...rows.map((row) => widthOf(row[at] ?? ""))));
  const at = columns.findIndex(({ shrinks }) => shrinks);
  if (total === undefined) return at < 0 ? widths : widths.with(at, Number.POSITIVE_INFINITY);
  const others = widths.reduce((sum, width, index) => (index === at ? sum : sum + width), 0);
  const left = total - others - GAP.length * (columns.length - 1);
  return at < 0 ? widths : widths.with(at, Math.max(CELL_WIDTH_MIN, Math.min(widths[at] as number, left)));
}

function pad(text: string, width: number, align: Column<unknown>["align"]): string {
  if (width === Number.POSITIVE_INFINITY) return text;
  const cut = cutTo(text, width);
  const space = " ".repeat(width - widthOf(cut));
  return align === "right" ? space + cut : cut + space;
}
