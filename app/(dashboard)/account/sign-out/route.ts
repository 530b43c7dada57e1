import { endSession } from "#server/auth/sign-in-forms.ts";
import { formRoute } from "#server/http/form-route.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, POST } = formRoute({ session: "none", page: "/account", verb: endSession });
