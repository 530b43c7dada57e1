import { type Field, isObject } from "./fields.ts";

/** Custom headers as pairs, in their order. */
export const customHeaders: Field<[string, string][]> = (value, report) => {
  if (!isObject(value)) return void report("must be an object of strings");
  const pairs = Object.entries(value) as [string, string][];
  if (pairs.length > 50) return void report("must be at most 50 headers");
  const seen = new Set<string>();
  let isGood = true;
  for (const [name, given] of pairs) {
    const problem = nameProblem(name, seen) ?? valueProblem(given);
    seen.add(name.toLowerCase());
    if (!problem) continue;
    report(problem, name.slice(0, 256));
    isGood = false;
  }
  if (!isGood) return undefined;
  const size = pairs.reduce((sum, [name, given]) => sum + name.length + given.length, 0);
  return size > 8192 ? void report("must be at most 8 KiB together") : pairs;
};

const RESERVED =
  /^(host|content-length|x-service-(signature|schedule-id|attempt|fire-at)|webhook-(id|timestamp|signature)|connection|transfer-encoding|keep-alive|te|trailer|upgrade|expect|http2-settings|proxy-.*)$/s;

function nameProblem(name: string, seen: ReadonlySet<string>): string | undefined {
  if (name.length > 256) return "must have a name of at most 256 characters";
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name)) return "must have a name of letters, digits and !#$%&'*+-.^_`|~";
  if (RESERVED.test(name.toLowerCase().replaceAll("_", "-"))) return "is reserved";
  return seen.has(name.toLowerCase()) ? "is given twice" : undefined;
}

function valueProblem(value: unknown): string | undefined {
  if (typeof value !== "string") return "must be a string";
  return /^[\t\x20-\x7e]*$/.test(value) ? undefined : "must hold only visible ASCII characters, spaces and tabs";
}
