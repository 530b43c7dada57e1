import { invalid } from "./invalid.ts";

/** Parameters of a path. Those that are undefined are left out, and lists are joined by commas. */
export type Query = { readonly [name: string]: unknown };

/** A query with its question mark; "" without parameters. Throws INVALID_ARGUMENT for what cannot be written. */
export function writeQuery(query: Query = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    if (value === undefined) return [];
    try {
      // An invalid Date, half of a surrogate pair and an object without a text throw.
      return `${encodeURIComponent(name)}=${encodeURIComponent(value instanceof Date ? value.toISOString() : String(value))}`;
    } catch {
      throw invalid(name, "cannot be written into an address");
    }
  });
  return pairs.length ? `?${pairs.join("&")}` : "";
}
