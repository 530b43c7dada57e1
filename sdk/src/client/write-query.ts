import { invalid } from "./invalid.ts";

/** A query with its question mark; "" without parameters. Throws INVALID_ARGUMENT for what cannot be written. */
export function writeQuery(query: object = {}): string {
  let text = "";
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    try {
      // An invalid Date, half of a surrogate pair and an object without a text throw.
      const written = encodeURIComponent(value instanceof Date ? value.toISOString() : String(value));
      text += `${text ? "&" : "?"}${encodeURIComponent(name)}=${written}`;
    } catch {
      throw invalid(name, "must be text");
    }
  }
  return text;
}
