import { dashboardForm } from "#server/http/dashboard-form.ts";
import { rotateSecretsByForm } from "#server/signing-secrets/forms.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, POST } = dashboardForm("/signing", rotateSecretsByForm);
