import { registerCountedRoute } from "#server/http/counted-routes.ts";
import { withEnvelope } from "#server/http/envelope.ts";
import { answerNewer } from "#server/logs/answer-newer.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

registerCountedRoute({ method: "GET", path: "/logs/newer" });

export const GET = withEnvelope(answerNewer);
