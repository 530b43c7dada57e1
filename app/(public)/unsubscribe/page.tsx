import { unstable_rethrow } from "next/navigation";
import { NarrowFrame } from "#components/layout/narrow-frame.tsx";
import { BrokenLinkCard, UnsubscribeCard, UnsubscribedCard } from "#components/notices/unsubscribe-card.tsx";
import { isUnsubscribeLink } from "#server/notices/unsubscribe.ts";
import { failedPage } from "../../failed-page.tsx";
import { chosenTheme } from "../../page-request.ts";
import { readSearchParams, type SearchParams } from "../../search-params.ts";

// The title is rendered by the page, because it differs when the page fails.
export const metadata = { title: { absolute: "" }, robots: "noindex", referrer: "no-referrer" as const };

/** The target of the unsubscribe link in a notice. Opening it changes nothing. */
export default async function Unsubscribe({ searchParams }: { searchParams: SearchParams }) {
  const { token, done } = await readSearchParams(searchParams);
  try {
    const card = await cardOf(token, done);
    return (
      <NarrowFrame theme={await chosenTheme()}>
        <title>Notices · Stopwatch</title>
        {card}
      </NarrowFrame>
    );
  } catch (error) {
    unstable_rethrow(error);
    return failedPage(error, `/unsubscribe?${new URLSearchParams({ token: token ?? "" })}`);
  }
}

async function cardOf(token: string | undefined, done: string | undefined) {
  if (done !== undefined) return <UnsubscribedCard />;
  if (token === undefined || !(await isUnsubscribeLink(token))) return <BrokenLinkCard />;
  return <UnsubscribeCard action={`/v1/notices/unsubscribe?${new URLSearchParams({ token, answer: "page" })}`} />;
}
