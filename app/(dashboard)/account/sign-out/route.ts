import { formRoute } from "#server/http/form-route.ts";
import { endSession } from "#server/http/sign-in-forms.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, POST } = formRoute("/account", endSession);
