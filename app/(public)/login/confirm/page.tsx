import { redirect } from "next/navigation";
import { ConfirmSignIn } from "#components/sign-in/confirm-sign-in.tsx";
import { parseEmailAddress } from "#domain/email-address.ts";
import { redirectPath } from "#server/auth/redirects.ts";
import { readSearchParams, type SearchParams } from "../../../search-params.ts";

// The token is in this page's URL: keep it out of Referer headers to other origins.
export const metadata = { title: "Confirm it is you", robots: "noindex", referrer: "same-origin" as const };

export default async function Confirm({ searchParams }: { searchParams: SearchParams }) {
  const { token, email = "", redirectTo } = await readSearchParams(searchParams);
  const to = parseEmailAddress(email);
  if (to === null || token === undefined) redirect("/login?error=link_invalid");
  return (
    <ConfirmSignIn
      email={to}
      action="/v1/auth/magic/verify"
      fields={{ token, email: to, redirectTo: redirectPath(redirectTo), confirm: "1" }}
    />
  );
}
