import type { ErrorDetail } from "../error.ts";
import { refuse } from "./refusal.ts";

/** The place in a list after which its next page begins. */
export type Place = {
  order: string;
  /** The filters of the list. */
  filter: string;
  /** Of the last row: the instant by which it is sorted (epoch ms), its id, and the number of the attempt. */
  atMs: number;
  id: string;
  attempt: number;
  /** Rows on the pages so far. */
  rowsBefore: number;
};

/** A place as `next_cursor` has it. */
export function writePlace({ order, filter, atMs, id, attempt, rowsBefore }: Place): string {
  const bytes = new TextEncoder().encode(JSON.stringify([order, filter, atMs, id, attempt, rowsBefore]));
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return base64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Reads what `writePlace` has written; null for anything else. */
export function readPlace(text: string): Place | null {
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const json = new TextDecoder().decode(Uint8Array.from(binary, (char) => char.charCodeAt(0)));
    const [order, filter, atMs, id, attempt, rowsBefore] = JSON.parse(json);
    const place = { order, filter, atMs, id, attempt, rowsBefore };
    return writePlace(place) === text ? place : null;
  } catch {
    return null;
  }
}

/** The order of a list. */
export function orderOf({ sort }: { sort?: unknown }, list: string): string {
  return list === "schedules" ? `${sort ?? "-created_at"}` : sort === "late" ? sort : `-${list}`;
}

/** The filters of a query as text, without the parameters for page, order and environment. */
export function filterOf(query: { readonly [name: string]: unknown }): string {
  const filters = Object.entries(query)
    .filter(([name, value]) => value !== undefined && !/^(limit|offset|after|sort|env)$/.test(name))
    .map(([name, value]) => [name, Array.isArray(value) ? [...new Set(value)].sort() : value]);
  return JSON.stringify(filters.sort());
}

/** Throws VALIDATION unless a place is one of this list. */
export function checkPlace(place: Place, order: string, filter: string, offset = 0): void {
  const problems: ErrorDetail[] = [];
  const add = (message: string) => problems.push({ path: "after", message });
  if (place.order !== order) add("belongs to another list or another sort order");
  else if (place.filter !== filter) add("belongs to other filters");
  if (offset > 0) add("cannot be combined with offset");
  if (problems.length) throw refuse(problems);
}
