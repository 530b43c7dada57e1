import { DeleteQuestion } from "#components/account/delete-question.tsx";
import { ErrorSummary } from "#components/ui/error-summary.tsx";
import { hasRecentSignIn } from "#server/auth/recent-sign-in.ts";
import { readDeletionLosses } from "#server/me/deletion-losses.ts";
import { readOwnProfile } from "#server/me/read.ts";
import { confirmAgain } from "../../confirm-again.tsx";
import { dashboardPage } from "../../dashboard-page.tsx";
import { hrefIn } from "../../view.ts";

export default dashboardPage("/account/delete", async ({ ctx, view }) => {
  const [profile, losses] = await Promise.all([readOwnProfile(ctx), readDeletionLosses(ctx)]);
  const account = { href: hrefIn(view.env, "/account"), label: "Account and billing" };
  const error = view.params.error === "email" ? `Type ${profile.email}, exactly.` : undefined;
  return {
    title: "Delete",
    documentTitle: "Delete the account",
    crumb: account,
    narrow: true,
    body: !hasRecentSignIn(ctx) ? (
      await confirmAgain({ ctx, view }, { why: WHY, keep: { ...account, label: "Keep it" } })
    ) : (
      <>
        <ErrorSummary problems={error ? [{ id: "email", message: error }] : []} />
        <DeleteQuestion
          email={profile.email}
          losses={losses}
          subscribed={profile.subscriptionStatus === "active" || profile.subscriptionStatus === "past_due"}
          env={view.env}
          action="/account/delete/confirm"
          accountHref={account.href}
          typed={error ? undefined : view.params.typed}
          error={error}
        />
      </>
    ),
  };
});

const WHY = "Deleting the account needs a newer sign-in.";
