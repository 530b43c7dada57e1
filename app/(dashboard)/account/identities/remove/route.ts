import { dashboardForm } from "#server/http/dashboard-form.ts";
import { removeIdentityByForm } from "#server/identities/forms.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, POST } = dashboardForm("/account", removeIdentityByForm);
