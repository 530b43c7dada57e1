import { readTimes, TIMES_COOKIE } from "#components/layout/times.ts";
import { redirectPath } from "#server/auth/redirects.ts";
import { type Reply, seeOther } from "#server/http/reply.ts";
import { formRoute, type PostedForm } from "#server/routes/form-route.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, POST } = formRoute({ session: "none", page: "/overview", verb: storeTimes });

const YEAR_S = 31_536_000;

/** UTC or local times: stores the choice in a cookie and returns to the page. */
async function storeTimes({ services, fields }: PostedForm): Promise<Reply> {
  const secure = services.config.baseUrl.startsWith("https:") ? "; Secure" : "";
  const times = readTimes(fields.get("times") ?? undefined);
  const cookie = `${TIMES_COOKIE}=${times}; Path=/; Max-Age=${YEAR_S}; SameSite=Lax${secure}`;
  return seeOther(redirectPath(fields.get("back")), [cookie]);
}
