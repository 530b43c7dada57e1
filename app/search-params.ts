/** The query of a page as Next.js hands it over. */
export type SearchParams = Promise<Record<string, string | string[] | undefined>>;

/** The parameters of a page's query that were given once, and are not empty. */
export async function readSearchParams(given: SearchParams): Promise<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(await given).flatMap(([name, value]) => (typeof value === "string" && value ? [[name, value]] : [])),
  );
}
