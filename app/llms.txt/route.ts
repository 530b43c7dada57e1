import { describeForModels } from "#server/docs/llms.ts";
import { getServices } from "#server/services.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export function GET(): Response {
  return new Response(describeForModels(getServices().config.baseUrl), {
    headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "public, max-age=300" },
  });
}
