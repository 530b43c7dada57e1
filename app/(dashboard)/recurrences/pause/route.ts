import { pauseForm } from "#server/recurrences/forms.ts";
import { formRoute } from "#server/routes/form-route.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, POST } = formRoute(pauseForm);
