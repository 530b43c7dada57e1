import { headers } from "next/headers";
import { ButtonLink } from "#components/ui/button.tsx";
import { hasSessionCookie } from "#server/auth/session-cookie.ts";
import { readSearchParams, type SearchParams } from "../../search-params.ts";
import { frameOf } from "../frame.tsx";
import { missingPage } from "../missing-page.tsx";
import { readView } from "../read-view.ts";

type Props = { params: Promise<{ missing: string[] }>; searchParams: SearchParams };

/** The answer to a path without a page, in the frame of those who are signed in. */
export default async function Missing({ params, searchParams }: Props) {
  const path = `/${(await params).missing.join("/")}`;
  const view = await readView(path, await readSearchParams(searchParams));
  const isKnown = hasSessionCookie((await headers()).get("cookie"));
  const start = <ButtonLink href="/">Start again</ButtonLink>;
  return missingPage("/[...missing]", frameOf(view), isKnown ? undefined : start);
}
