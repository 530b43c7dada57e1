import { readIdempotencyHeader } from "#contract/inputs/idempotency-header.ts";
import { rotateSigningSecrets } from "#contract/signing-secrets.ts";
import { methods } from "#server/routes/methods.ts";
import { route } from "#server/routes/route.ts";
import { rotateOwnSigningSecrets } from "#server/signing-secrets/rotate.ts";
import { rotateOnce } from "#server/signing-secrets/rotate-once.ts";
import { rotatedReply } from "#server/signing-secrets/rotated-reply.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  POST: route(rotateSigningSecrets, async ({ ctx, request }) => {
    const idempotencyKey = readIdempotencyHeader(request.headers);
    if (idempotencyKey !== undefined) return rotatedReply(await rotateOnce(ctx, idempotencyKey));
    return rotatedReply({ outcome: "rotated", pair: await rotateOwnSigningSecrets(ctx) });
  }),
});
