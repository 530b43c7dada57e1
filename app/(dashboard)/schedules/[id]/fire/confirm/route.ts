import { formRoute } from "#server/http/form-route.ts";
import { fireByForm } from "#server/http/one-schedule-forms.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, POST } = formRoute("/schedules", fireByForm);
