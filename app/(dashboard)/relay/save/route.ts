import { dashboardForm } from "#server/http/dashboard-form.ts";
import { saveRelaySettingsByForm } from "#server/relay-settings/forms.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, POST } = dashboardForm("/relay", saveRelaySettingsByForm);
