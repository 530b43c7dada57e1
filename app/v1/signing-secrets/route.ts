import { getSigningSecrets } from "#contract/signing-secrets.ts";
import { ok } from "#server/http/reply.ts";
import { methods } from "#server/routes/methods.ts";
import { route } from "#server/routes/route.ts";
import { presentSigningSecrets, readOwnSigningSecrets } from "#server/signing-secrets/read.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: route(getSigningSecrets, async ({ ctx }) => ok(presentSigningSecrets(await readOwnSigningSecrets(ctx)))),
});
