import { deactivateByForm } from "#server/admin/forms.ts";
import { dashboardForm } from "#server/http/dashboard-form.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, POST } = dashboardForm("/admin", deactivateByForm);
