import { answering } from "#server/http/answering.ts";
import { answerNewer } from "#server/logs/answer-newer.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const GET = answering(answerNewer);
