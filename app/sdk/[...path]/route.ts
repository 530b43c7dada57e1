import { packageRoute } from "#server/packages/package-route.ts";
import { methods } from "#server/routes/methods.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({ GET: packageRoute("sdk") });
