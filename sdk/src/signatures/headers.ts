import { refuse } from "./refuse.ts";

/** The headers of a request: a `Headers`, or an object with names in any case, as Node.js has them. */
export type HeaderBag =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

/** The value of a header, "" without it. `name` is in lower case. What came several times is joined by `, `. */
export function readHeader(headers: HeaderBag, name: string): string {
  if (typeof headers?.get === "function") return headers.get(name) ?? "";
  return Object.entries(headers ?? {})
    .flatMap(([given, value]) => (given.toLowerCase() === name ? (value ?? []) : []))
    .join(", ");
}

/** As `readHeader`. Throws INVALID_SIGNATURE unless there is a value of this form. */
export function readHeaderAs(headers: HeaderBag, name: string, form: RegExp): string {
  const value = readHeader(headers, name);
  if (!value) refuse(`${name} is missing`, "missing_header");
  if (!form.test(value)) refuse(`${name} is malformed or twice`, "malformed_header");
  return value;
}
