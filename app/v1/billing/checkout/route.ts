import { startCheckout } from "#server/billing/checkout.ts";
import * as contract from "#contract/billing.ts";
import { methods } from "#server/http/methods.ts";
import { ok } from "#server/http/reply.ts";
import { route } from "#server/http/route.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  POST: route(contract.startCheckout, async ({ ctx }) => ok(await startCheckout(ctx))),
});
