import { createKeyByForm } from "#server/api-keys/forms.ts";
import { dashboardForm } from "#server/http/dashboard-form.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, POST } = dashboardForm("/keys", createKeyByForm);
