export const dynamic = "force-dynamic";

/** A route handler that does nothing: what Next.js itself costs. */
export function POST() {
  return Response.json({ ok: true }, { status: 201 });
}
