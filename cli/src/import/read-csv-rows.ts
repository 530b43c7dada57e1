import { type Column, describeUnknown, findColumn } from "./fields.ts";
import type { Item } from "./find-problems.ts";
import { findJsonFault } from "./json-fault.ts";
import { type CsvField, readCsv } from "./read-csv.ts";
import type { ReadRow, RowProblem } from "./row.ts";
import { UnreadableInput } from "./unreadable-input.ts";

/**
 * The rows of a CSV text by the names of its first line. An empty cell is a field that is not given. Throws
 * `UnreadableInput` for an unknown column, one that comes twice, and what `readCsv` throws for.
 */
export function* readCsvRows(text: string, map: ReadonlyMap<string, string>): Generator<ReadRow> {
  const records = readCsv(text);
  const headings = records.next().value ?? [];
  const columns = readHeadings(headings, map);
  for (const record of records) {
    const [{ line } = { line: 1 }] = record;
    const item: Item = {};
    const problems: RowProblem[] = [];
    const places = new Map<string, CsvField>();
    if (record.length !== columns.length) {
      const message = `has ${count(record.length)}, but the first line has ${count(columns.length)}`;
      yield { line, item, problems: [{ line, message }] };
      continue;
    }
    for (const [at, column] of columns.entries()) {
      const cell = record[at] as CsvField;
      if (column === "ignored" || cell.text === "") continue;
      const problem = fill(item, column, cell.text);
      if (problem) problems.push({ line: cell.line, column: cell.column, message: problem });
      places.set("field" in column ? column.field : "header" in column ? "headers" : "delivery", cell);
    }
    yield { line, item, problems, placeOf: (field) => placeOf(places.get(field)) };
  }
}

function readHeadings(headings: CsvField[], map: ReadonlyMap<string, string>): Column[] {
  const seen = new Set<string>();
  const columns = headings.map(({ text, line, column }) => {
    const found = findColumn(text, map);
    const isSeparated = headings.length === 1 && /[;\t]/.test(text);
    if (isSeparated) throw new UnreadableInput(line, column, "the columns must be separated by commas");
    if (found === undefined) throw new UnreadableInput(line, column, describeUnknown("column", text));
    const name = JSON.stringify(found);
    if (found !== "ignored" && seen.has(name)) throw new UnreadableInput(line, column, `"${text}" comes twice`);
    seen.add(name);
    return found;
  });
  for (const name of map.keys()) {
    if (!headings.some(({ text }) => text === name)) throw new UnreadableInput(1, 1, `there is no column "${name}"`);
  }
  return columns;
}

/** Sets what a cell holds. Returns what is wrong with it. */
function fill(item: Item, column: Exclude<Column, "ignored">, text: string): string | undefined {
  if ("header" in column) {
    item.headers = { ...(item.headers as object), [column.header]: text };
    return undefined;
  }
  if ("option" in column) {
    item.delivery = { ...(item.delivery as object), [column.option]: optionOf(column.option, text) };
    return undefined;
  }
  const { field } = column;
  if (field === "headers" || field === "delivery") {
    const fault = findJsonFault(text);
    if (fault) return `${field} must be JSON such as ${JSON_EXAMPLES[field]}, and ${fault.message}`;
    const value = JSON.parse(text);
    item[field] = item[field] ? { ...value, ...item[field] } : value;
    return undefined;
  }
  item[field] = field === "earlyFire" ? (BOOLEANS.get(text) ?? text) : text;
  return undefined;
}

const JSON_EXAMPLES = { headers: '{"X-A": "1"}', delivery: '{"timeoutMs": 5000}' };

/** A delivery option as the API takes it: a list has commas or spaces between its entries, or is "none". */
function optionOf(option: string, text: string): unknown {
  const value = (entry: string) => (/^\d+$/.test(entry) ? Number(entry) : entry);
  if (option === "expiresAt" || option === "expiresIn") return text;
  if (option === "timeoutMs") return value(text);
  return text === "none" ? [] : text.split(/[\s,]+/).map(value);
}

const BOOLEANS = new Map([
  ["true", true],
  ["false", false],
]);

const placeOf = (cell: CsvField | undefined) => cell && { line: cell.line, column: cell.column };

const count = (fields: number) => `${fields} ${fields === 1 ? "field" : "fields"}`;
