/** The query of a page as Next.js passes it. */
export type SearchParams = Promise<Record<string, string | string[] | undefined>>;

/** The query parameters that occur exactly once and are not empty. */
export async function readSearchParams(given: SearchParams): Promise<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(await given).flatMap(([name, value]) => (typeof value === "string" && value ? [[name, value]] : [])),
  );
}
