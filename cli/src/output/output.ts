import { printable } from "./printable.ts";
import { type Column, createTable, type Table } from "./table.ts";

/** A name and its value, as lines for people. Null values are left out. */
export type Fact = readonly [name: string, value: string | null];

/** Results on stdout: for people, or for programs one JSON object a line and nothing else. */
export type Output = {
  isJson: boolean;
  /** Prints one thing: the object for programs, the facts for people. */
  record(item: object, facts: readonly Fact[]): void;
  /** Starts a list. Its columns are as wide as the items that are added first need. */
  table<T extends object>(columns: readonly Column<T>[]): Table<T>;
  /** Prints text as it is, in both forms: for what is no JSON by its nature, such as a script. */
  raw(text: string): void;
};

export function createOutput(stream: NodeJS.WriteStream, isJson: boolean): Output {
  const write = (text: string) => void stream.write(text);
  const writeJson = (item: object) => write(`${asJsonLine(item)}\n`);
  return {
    isJson,
    record(item, facts) {
      if (isJson) return writeJson(item);
      const shown = facts.filter(([, value]) => value !== null) as [string, string][];
      const width = Math.max(...shown.map(([name]) => name.length));
      for (const [name, value] of shown) write(`${name.padEnd(width)}  ${printable(value)}\n`);
    },
    table(columns) {
      if (!isJson) return createTable(stream, columns);
      return { add: (items) => items.forEach(writeJson) };
    },
    raw: write,
  };
}

/** JSON without characters that a terminal would obey: JSON.stringify leaves DEL, C1 and marks of direction as they are. */
function asJsonLine(item: object): string {
  return JSON.stringify(item).replaceAll(
    /[\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
