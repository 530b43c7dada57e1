import type { PageConfig } from "next";
import { ConfirmSignIn } from "#components/sign-in/confirm-sign-in.tsx";
import { parseEmailAddress } from "#domain/email-address.ts";
import { redirectPath } from "#server/auth/redirects.ts";
import { servePage } from "../../app/(public)/serve-page.tsx";

export { RenderedPage as default } from "#components/layout/rendered-page.tsx";

export const config: PageConfig = { unstable_runtimeJS: false };

export const getServerSideProps = servePage(({ query: { token, email = "", redirectTo } }) => {
  const to = parseEmailAddress(email);
  if (to === null || token === undefined) {
    return { redirect: { destination: "/login?error=link_invalid", permanent: false } };
  }
  return {
    title: "Confirm it is you",
    // The token is in this page's URL: keep it out of Referer headers to other origins.
    referrer: "same-origin",
    isNarrow: true,
    body: (
      <ConfirmSignIn
        email={to}
        action="/v1/auth/magic/verify"
        fields={{ token, email: to, redirectTo: redirectPath(redirectTo), confirm: "1" }}
      />
    ),
  };
});
