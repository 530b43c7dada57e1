import { methods } from "#server/http/methods.ts";
import { comeBack, headOfLink } from "#server/http/sign-in-endpoints.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({ GET: comeBack, HEAD: headOfLink });
