import { formRoute } from "#server/http/form-route.ts";
import { removeIdentityByForm } from "#server/identities/forms.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, POST } = formRoute({ page: "/account", verb: removeIdentityByForm });
