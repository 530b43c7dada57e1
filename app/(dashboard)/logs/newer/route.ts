import { withEnvelope } from "#server/http/envelope.ts";
import { answerNewer } from "#server/logs/answer-newer.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const GET = withEnvelope(answerNewer);
