import { billingOf } from "#server/billing/provider.ts";
import { receiveEvent } from "#server/billing/receive-event.ts";
import { ok } from "#server/http/reply.ts";
import { methods } from "#server/routes/methods.ts";
import { signedRoute } from "#server/routes/signed-route.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

const FROM_STRIPE = { header: "Stripe-Signature", bytesMax: 512 * 1024 };

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  POST: signedRoute(FROM_STRIPE, async ({ config, query, readBody, signature }) => {
    const billing = await billingOf(config);
    await receiveEvent(billing, query, { body: await readBody(), signature });
    return ok({ received: true });
  }),
});
