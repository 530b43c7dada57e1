import { readQuery } from "#contract/inputs/read-query.ts";
import { openUnsubscribe, unsubscribe } from "#contract/notices.ts";
import { withEnvelope } from "#server/http/envelope.ts";
import { ok } from "#server/http/reply.ts";
import { toUnsubscribePage, unsubscribeByLink } from "#server/notices/unsubscribe.ts";
import { methods } from "#server/routes/methods.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: withEnvelope(async ({ url }) => toUnsubscribePage(readQuery(url, openUnsubscribe.query))),
  POST: withEnvelope(async ({ url }) => {
    const { token, answer } = readQuery(url, unsubscribe.query);
    await unsubscribeByLink(token);
    return answer === "page" ? toUnsubscribePage({ done: "1" }) : ok({ notices: false });
  }),
});
