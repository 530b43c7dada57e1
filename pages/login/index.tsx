import type { PageConfig } from "next";
import { SignInCard } from "#components/sign-in/sign-in-card.tsx";
import { parseEmailAddress } from "#domain/email-address.ts";
import { AppError } from "#domain/errors.ts";
import { enabledProviders } from "#server/auth/enabled-providers.ts";
import { HOME_PATH, redirectPath } from "#server/auth/redirects.ts";
import { readPageCtx } from "#server/page-ctx.ts";
import { getServices } from "#server/services.ts";
import { servePage } from "../../app/(public)/serve-page.tsx";

export { RenderedPage as default } from "#components/layout/rendered-page.tsx";

export const config: PageConfig = { unstable_runtimeJS: false };

export const getServerSideProps = servePage(async ({ headers, query: { error, email = "", redirectTo } }) => {
  const next = redirectPath(redirectTo);
  // Signed-in users see a failure, too.
  const visitor = error === undefined ? await lookUp(headers) : "stranger";
  if (visitor === "signed-in") return { redirect: { destination: next, permanent: false } };
  const { config } = getServices();
  const query = next === HOME_PATH ? "" : `?${new URLSearchParams({ redirectTo: next })}`;
  const isEmailWrong = error === "email_invalid";
  const isAway = visitor === "unavailable";
  const failure = isAway ? visitor : error;
  return {
    title: "Sign in",
    isNarrow: true,
    ...(isAway && { status: 503, retryAfterS: "5" }),
    body: (
      <SignInCard
        action="/login/send"
        redirectTo={next}
        email={isEmailWrong ? email : (parseEmailAddress(email) ?? "")}
        emailError={isEmailWrong ? "An e-mail address looks like you@example.com." : undefined}
        failure={isEmailWrong ? undefined : failure}
        providers={enabledProviders(config).map((id) => ({ id, href: `/v1/auth/oauth/${id}/start${query}` }))}
        isSignupOpen={config.signup === "open"}
      />
    ),
  };
});

/** Who opens the page; "unavailable" while the database is. */
async function lookUp(headers: Headers): Promise<"signed-in" | "stranger" | "unavailable"> {
  try {
    return (await readPageCtx(headers)) === null ? "stranger" : "signed-in";
  } catch (error) {
    // Over the limit the session is not looked up. The visitor may still sign in.
    if (error instanceof AppError && error.code === "RATE_LIMITED") return "stranger";
    if (error instanceof AppError && error.code === "UNAVAILABLE") return "unavailable";
    throw error;
  }
}
