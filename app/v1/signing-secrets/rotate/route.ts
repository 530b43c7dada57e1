import { rotateSigningSecrets } from "#server/contract/signing-secrets.ts";
import { methods } from "#server/http/methods.ts";
import { ok } from "#server/http/reply.ts";
import { route } from "#server/http/route.ts";
import { presentSigningSecrets } from "#server/signing-secrets/read.ts";
import { rotateOwnSigningSecrets } from "#server/signing-secrets/rotate.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  POST: route(rotateSigningSecrets, async ({ ctx }) => ok(presentSigningSecrets(await rotateOwnSigningSecrets(ctx)))),
});
