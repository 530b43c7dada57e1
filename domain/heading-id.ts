/**
 * The id of a heading with this plain text, as GitHub makes it, so that links work there and here. `counts` has how often
 * each came before on the page: a repeated one gets a number.
 */
export function headingId(text: string, counts: Map<string, number>): string {
  const id = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");
  const count = counts.get(id) ?? 0;
  counts.set(id, count + 1);
  return count === 0 ? id : `${id}-${count}`;
}
