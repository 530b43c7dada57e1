import { redirect } from "next/navigation";
import { CheckInbox } from "#components/sign-in/check-inbox.tsx";
import { emailOf } from "#server/auth/parse-email.ts";
import { destination, signInPage } from "#server/auth/redirects.ts";
import { services } from "#server/services.ts";
import { readSearchParams, type SearchParams } from "../../../search-params.ts";

export const metadata = { title: "Look in your mail", robots: "noindex" };

export default async function LinkSent({ searchParams }: { searchParams: SearchParams }) {
  const { email = "", redirectTo } = await readSearchParams(searchParams);
  const to = emailOf(email) ?? redirect("/login");
  const next = destination(redirectTo);
  return (
    <CheckInbox
      email={to}
      action="/login/send"
      redirectTo={next}
      isMailSetUp={services().config.mail.resendApiKey !== undefined}
      changeHref={signInPage("/login", {}, next)}
    />
  );
}
