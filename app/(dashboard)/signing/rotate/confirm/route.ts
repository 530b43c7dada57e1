import { formRoute } from "#server/routes/form-route.ts";
import { rotateSecretsByForm } from "#server/signing-secrets/forms.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, POST } = formRoute({ page: "/signing", verb: rotateSecretsByForm });
