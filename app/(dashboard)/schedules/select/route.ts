import { formRoute } from "#server/http/form-route.ts";
import { selectSchedules } from "#server/http/schedule-forms.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, POST } = formRoute("/schedules", selectSchedules);
