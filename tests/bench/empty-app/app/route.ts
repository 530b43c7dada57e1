export const dynamic = "force-dynamic";

/** A route handler that does nothing, to measure the cost of Next.js itself. */
export function POST(): Response {
  return Response.json({ ok: true }, { status: 201 });
}
