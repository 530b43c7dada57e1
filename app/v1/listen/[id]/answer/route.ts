import { answerDelivery } from "#contract/listen.ts";
import { noContent } from "#server/http/reply.ts";
import { answerDeliveryOf } from "#server/listen/answer.ts";
import { limitListening } from "#server/rate-limit/enforce.ts";
import { methods } from "#server/routes/methods.ts";
import { route } from "#server/routes/route.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  POST: route(
    answerDelivery,
    async ({ ctx, params, body }) => {
      await answerDeliveryOf(ctx, params.id, body);
      return noContent();
    },
    { limit: limitListening },
  ),
});
