import { formRoute } from "#server/http/form-route.ts";
import { switchTestDeliveriesByForm } from "#server/relay-settings/forms.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, POST } = formRoute({ page: "/relay", verb: switchTestDeliveriesByForm });
