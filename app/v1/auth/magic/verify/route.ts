import { methods } from "#server/routes/methods.ts";
import { headMagicLink, verifyMagicLink } from "#server/sign-in/endpoints.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({ GET: verifyMagicLink, HEAD: headMagicLink });
