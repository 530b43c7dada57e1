import type { QuerySchema } from "../contract/endpoint.ts";
import { invalid, notKnown, validate } from "../input/validate.ts";

/**
 * The query parameters of a URL. Throws VALIDATION for one that is unknown, given twice, empty or malformed; what is
 * unknown is passed over with `isProbed`.
 */
export function readQuery<T>(url: string, schema: QuerySchema<T>, { isProbed = false } = {}): T {
  if (!url.includes("?")) return validate(schema, {});
  const given = new Map<string, string>();
  const problems: { path: string; message: string }[] = [];
  for (const [name, value] of new URL(url).searchParams) {
    const isKnown = Object.hasOwn(schema.shape, name);
    if (!isKnown && isProbed) continue;
    if (!isKnown) problems.push({ path: name, message: notKnown(name, Object.keys(schema.shape)) });
    else if (given.has(name)) problems.push({ path: name, message: "must be given once" });
    else if (value === "") problems.push({ path: name, message: "must not be empty" });
    given.set(name, value);
  }
  if (problems.length > 0) throw invalid(problems);
  return validate(schema, Object.fromEntries(given));
}
