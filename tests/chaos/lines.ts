/**
 * What `parts` has, as lines of JSON with one entry each: a part that is a list has a line for each of its entries. The
 * ledgers of a long run are together longer than a string may be.
 */
export function* linesOf(parts: Readonly<Record<string, unknown>>): Generator<string> {
  for (const [name, part] of Object.entries(parts)) {
    for (const entry of Array.isArray(part) ? part : [part]) yield `${JSON.stringify({ [name]: entry })}\n`;
  }
}
