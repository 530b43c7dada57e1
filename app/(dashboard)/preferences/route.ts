import { formRoute } from "#server/routes/form-route.ts";
import { storeTimes } from "./store-times.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, POST } = formRoute({ session: "none", page: "/overview", verb: storeTimes });
