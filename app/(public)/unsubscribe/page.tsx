import { cookies } from "next/headers";
import { NarrowFrame } from "#components/layout/narrow-frame.tsx";
import { readTheme, THEME_COOKIE } from "#components/layout/theme.ts";
import { BrokenLinkCard, UnsubscribeCard, UnsubscribedCard } from "#components/notices/unsubscribe-card.tsx";
import { isUnsubscribeLink } from "#server/notices/unsubscribe.ts";

export const metadata = { title: "Notices · Stopwatch", robots: "noindex", referrer: "no-referrer" };

type Search = Promise<{ token?: string | string[]; done?: string | string[] }>;

/** The target of the unsubscribe link in a notice. Opening it changes nothing. */
export default async function Unsubscribe({ searchParams }: { searchParams: Search }) {
  const theme = readTheme((await cookies()).get(THEME_COOKIE)?.value);
  return <NarrowFrame theme={theme}>{await cardOf(await searchParams)}</NarrowFrame>;
}

async function cardOf({ token, done }: Awaited<Search>) {
  if (done !== undefined) return <UnsubscribedCard />;
  if (typeof token !== "string" || !(await isUnsubscribeLink(token))) return <BrokenLinkCard />;
  return <UnsubscribeCard action={`/v1/notices/unsubscribe?${new URLSearchParams({ token, answer: "page" })}`} />;
}
