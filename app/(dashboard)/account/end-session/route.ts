import { dashboardForm } from "#server/http/dashboard-form.ts";
import { endSessionByForm } from "#server/me/forms.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, POST } = dashboardForm("/account", endSessionByForm);
