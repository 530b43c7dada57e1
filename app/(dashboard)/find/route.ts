import { registerCountedRoute } from "#server/edge/counted-routes.ts";
import { answerFind } from "#server/find/answer-find.ts";
import { withEnvelope } from "#server/http/envelope.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

registerCountedRoute({ method: "GET", path: "/find" });

export const GET = withEnvelope(answerFind);
