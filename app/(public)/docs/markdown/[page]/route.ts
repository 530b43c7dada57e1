import { docMarkdownHref, findDocPage, findMovedPage } from "#server/docs/pages.ts";
import { readDocPage } from "#server/docs/read-page.ts";
import { getServices } from "#server/services.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

/** `/docs/<page>.md`, by a rewrite in next.config.ts. */
export async function GET(_: Request, { params }: { params: Promise<{ page: string }> }): Promise<Response> {
  const { page: slug } = await params;
  const moved = findMovedPage(slug);
  if (moved !== undefined) return new Response(null, { status: 308, headers: { Location: docMarkdownHref(moved) } });
  const page = findDocPage(slug);
  if (page === undefined) return new Response("There is no such page.\n", { status: 404 });
  return new Response(await readDocPage(page, getServices().config.baseUrl), {
    headers: { "Content-Type": "text/markdown; charset=utf-8", "Cache-Control": "public, max-age=300" },
  });
}
