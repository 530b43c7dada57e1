import { answerFind } from "#server/find/answer-find.ts";
import { registerCountedRoute } from "#server/http/counted-routes.ts";
import { withEnvelope } from "#server/http/envelope.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

registerCountedRoute({ method: "GET", path: "/find" });

export const GET = withEnvelope(answerFind);
