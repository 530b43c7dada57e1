import { withEnvelope } from "#server/http/envelope.ts";
import { answerOutcome } from "#server/trial/outcome.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const GET = withEnvelope(answerOutcome);
