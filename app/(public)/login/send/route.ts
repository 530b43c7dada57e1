import { formRoute } from "#server/routes/form-route.ts";
import { sendLink } from "#server/sign-in/forms.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, POST } = formRoute({ session: "none", page: "/login", verb: sendLink });
