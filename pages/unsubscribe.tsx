import type { PageConfig } from "next";
import { BrokenLinkCard, UnsubscribeCard, UnsubscribedCard } from "#components/notices/unsubscribe-card.tsx";
import { isUnsubscribeLink } from "#server/notices/unsubscribe.ts";
import { servePage } from "../app/(public)/serve-page.tsx";

export { RenderedPage as default } from "#components/layout/rendered-page.tsx";

export const config: PageConfig = { unstable_runtimeJS: false };

/** The target of the unsubscribe link in a notice. Opening it changes nothing. */
export const getServerSideProps = servePage(async ({ query: { token, done } }) => ({
  title: "Notices",
  referrer: "no-referrer",
  isNarrow: true,
  body: await cardOf(token, done),
}));

async function cardOf(token: string | undefined, done: string | undefined) {
  if (done !== undefined) return <UnsubscribedCard />;
  if (token === undefined || !(await isUnsubscribeLink(token))) return <BrokenLinkCard />;
  return <UnsubscribeCard action={`/v1/notices/unsubscribe?${new URLSearchParams({ token, answer: "page" })}`} />;
}
