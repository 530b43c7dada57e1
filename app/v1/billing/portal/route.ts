import * as contract from "#contract/billing.ts";
import { openPortal } from "#server/billing/portal.ts";
import { ok } from "#server/http/reply.ts";
import { methods } from "#server/routes/methods.ts";
import { route } from "#server/routes/route.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  POST: route(contract.openPortal, async ({ ctx }) => ok(await openPortal(ctx))),
});
