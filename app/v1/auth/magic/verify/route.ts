import { headMagicLink, verifyMagicLink } from "#server/auth/sign-in-endpoints.ts";
import { methods } from "#server/http/methods.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({ GET: verifyMagicLink, HEAD: headMagicLink });
