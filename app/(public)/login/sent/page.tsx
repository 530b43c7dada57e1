import { redirect } from "next/navigation";
import { CheckInbox } from "#components/sign-in/check-inbox.tsx";
import { parseEmailAddress } from "#domain/email-address.ts";
import { redirectPath, signInPageUrl } from "#server/auth/redirects.ts";
import { getServices } from "#server/services.ts";
import { readSearchParams, type SearchParams } from "../../../search-params.ts";

export const metadata = { title: "A link to sign in", robots: "noindex" };

export default async function LinkSent({ searchParams }: { searchParams: SearchParams }) {
  const { email = "", redirectTo } = await readSearchParams(searchParams);
  const to = parseEmailAddress(email) ?? redirect("/login");
  const next = redirectPath(redirectTo);
  const { config } = getServices();
  return (
    <CheckInbox
      email={to}
      action="/login/send"
      redirectTo={next}
      isMailSetUp={config.mail.resendApiKey !== undefined}
      isSignupOpen={config.signup === "open"}
      changeHref={signInPageUrl("/login", {}, next)}
    />
  );
}
