import type { PageConfig } from "next";
import { CheckInbox } from "#components/sign-in/check-inbox.tsx";
import { parseEmailAddress } from "#domain/email-address.ts";
import { redirectPath, signInPageUrl } from "#server/auth/redirects.ts";
import { getServices } from "#server/services.ts";
import { servePage } from "../../app/(public)/serve-page.tsx";

export { RenderedPage as default } from "#components/layout/rendered-page.tsx";

export const config: PageConfig = { unstable_runtimeJS: false };

export const getServerSideProps = servePage(({ query: { email = "", redirectTo } }) => {
  const to = parseEmailAddress(email);
  if (to === null) return { redirect: { destination: "/login", permanent: false } };
  const next = redirectPath(redirectTo);
  const { config } = getServices();
  return {
    title: "A link to sign in",
    isNarrow: true,
    body: (
      <CheckInbox
        email={to}
        action="/login/send"
        redirectTo={next}
        isMailSetUp={config.mail.resendApiKey !== undefined}
        isSignupOpen={config.signup === "open"}
        changeHref={signInPageUrl("/login", {}, next)}
      />
    ),
  };
});
