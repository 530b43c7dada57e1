import { DOC_PAGES } from "#server/docs/pages.ts";
import { readDocPage } from "#server/docs/read-page.ts";
import { getServices } from "#server/services.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export async function GET(_: Request, { params }: { params: Promise<{ page: string }> }): Promise<Response> {
  const { page: slug } = await params;
  const page = DOC_PAGES.find((one) => one.slug === slug);
  if (page === undefined) return new Response("There is no such page.\n", { status: 404 });
  return new Response(await readDocPage(page, getServices().config.baseUrl), {
    headers: { "Content-Type": "text/markdown; charset=utf-8", "Cache-Control": "public, max-age=300" },
  });
}
