/** The query of a page as Next.js passes it. */
export type SearchParams = Promise<Record<string, string | string[] | undefined>>;

/** The query parameters that occur exactly once and are not empty. */
export async function readSearchParams(searchParams: SearchParams): Promise<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(await searchParams).flatMap(([name, value]) =>
      typeof value === "string" && value ? [[name, value]] : [],
    ),
  );
}
