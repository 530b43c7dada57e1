/** The query of a page as Next.js passes it. */
export type SearchParams = Promise<Record<string, string | string[] | undefined>>;

/**
 * The query parameters that occur exactly once and are not empty. U+0000, which PostgreSQL takes in no text, is replaced: so a
 * parameter that has it finds nothing, and no page has to check for it. It is not left out, since fewer filters show more.
 */
export async function readSearchParams(searchParams: SearchParams): Promise<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(await searchParams).flatMap(([name, value]) =>
      typeof value === "string" && value ? [[name, value.replaceAll("\0", "\uFFFD")]] : [],
    ),
  );
}
