import { closeKeyByForm } from "#server/api-keys/forms.ts";
import { formRoute } from "#server/routes/form-route.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, POST } = formRoute({ page: "/keys", verb: closeKeyByForm });
