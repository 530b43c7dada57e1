import { formRoute } from "#server/http/form-route.ts";
import { stopForm } from "#server/operations/forms.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, POST } = formRoute(stopForm);
