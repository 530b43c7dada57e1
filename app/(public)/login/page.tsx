import { redirect } from "next/navigation";
import { SignInCard } from "#components/sign-in/sign-in-card.tsx";
import { parseEmailAddress } from "#domain/email-address.ts";
import { AppError } from "#domain/errors.ts";
import { enabledProviders } from "#server/auth/enabled-providers.ts";
import { HOME_PATH, redirectPath } from "#server/auth/redirects.ts";
import { answerPageWith, knowsAnswer } from "#server/edge/page-answer.ts";
import { getServices } from "#server/services.ts";
import { readSearchParams, type SearchParams } from "../../search-params.ts";
import { findSignedIn } from "../../signed-in.ts";

export const metadata = { title: "Sign in", robots: "noindex" };

export default async function SignIn({ searchParams }: { searchParams: SearchParams }) {
  const { error: errorCode, email = "", redirectTo } = await readSearchParams(searchParams);
  const next = redirectPath(redirectTo);
  // Signed-in users see a failure, too.
  const error = errorCode ?? (await redirectIfSignedIn(next));
  const { config } = getServices();
  const query = next === HOME_PATH ? "" : `?${new URLSearchParams({ redirectTo: next })}`;
  const isEmailWrong = error === "email_invalid";
  return (
    <SignInCard
      action="/login/send"
      redirectTo={next}
      email={isEmailWrong ? email : (parseEmailAddress(email) ?? "")}
      emailError={isEmailWrong ? "An e-mail address looks like you@example.com." : undefined}
      failure={isEmailWrong ? undefined : error}
      providers={enabledProviders(config).map((id) => ({ id, href: `/v1/auth/oauth/${id}/start${query}` }))}
      isSignupOpen={config.signup === "open"}
    />
  );
}

/** Redirects a signed-in user to `next`. While the database is unavailable, sets status 503 and returns "unavailable". */
async function redirectIfSignedIn(next: string): Promise<"unavailable" | undefined> {
  try {
    if ((await findSignedIn()) === null) return undefined;
  } catch (error) {
    // Over the limit the session is not looked up. The visitor may still sign in.
    if (error instanceof AppError && error.code === "RATE_LIMITED") return undefined;
    if (!(error instanceof AppError) || error.code !== "UNAVAILABLE") throw error;
    if (!knowsAnswer()) throw error;
    answerPageWith(503, "5");
    return "unavailable";
  }
  redirect(next);
}
