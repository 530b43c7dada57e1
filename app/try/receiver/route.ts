import { withEnvelope } from "#server/http/envelope.ts";
import { receiveTrial } from "#server/trial/receive.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const POST = withEnvelope(receiveTrial);
