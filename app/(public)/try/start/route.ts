import { formRoute } from "#server/routes/form-route.ts";
import { startTrial } from "#server/trial/start.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, POST } = formRoute({ session: "none", page: "/try", verb: startTrial });
