import { formRoute } from "#server/routes/form-route.ts";
import { replayForm } from "#server/schedules/forms.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, POST } = formRoute(replayForm);
