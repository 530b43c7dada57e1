import { formRoute } from "#server/http/form-route.ts";
import { endOtherSessionsByForm } from "#server/me/forms.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, POST } = formRoute({ page: "/account", verb: endOtherSessionsByForm });
