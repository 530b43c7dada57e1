import { LinkIdentity } from "#components/account/link-identity.tsx";
import { signInFailure } from "#components/sign-in/failures.ts";
import { Notice } from "#components/ui/notice.tsx";
import { enabledProviders } from "#server/auth/enabled-providers.ts";
import { hasRecentSignIn } from "#server/auth/recent-sign-in.ts";
import { confirmAgain } from "../../../confirm-again.tsx";
import { dashboardPage } from "../../../dashboard-page.tsx";
import { hrefIn } from "../../../view.ts";

export default dashboardPage("/account/identities/new", async ({ ctx, view }) => {
  const account = { href: hrefIn(view.env, "/account"), label: "Account and billing" };
  const query = new URLSearchParams({ link: "1", redirectTo: account.href });
  const providers = enabledProviders(ctx.config).map((id) => ({ id, href: `/v1/auth/oauth/${id}/start?${query}` }));
  const { error } = view.params;
  return {
    title: "Link",
    documentTitle: "Link an identity",
    crumb: account,
    narrow: true,
    body: !hasRecentSignIn(ctx) ? (
      await confirmAgain({ ctx, view }, { why: WHY, keep: { ...account, label: "Back to the account" } })
    ) : (
      <>
        {error && (
          <Notice kind="bad" announce="alert">
            {LINK_FAILURES.get(error) ?? signInFailure(error).title}
          </Notice>
        )}
        <LinkIdentity
          email={ctx.credential.kind === "session" ? ctx.credential.email : ""}
          providers={providers}
          accountHref={account.href}
        />
      </>
    ),
  };
});

const WHY = "Linking an identity needs a newer sign-in.";

const LINK_FAILURES = new Map(
  Object.entries({
    provider_refused: "Nothing was linked. You may have cancelled there, or it did not answer.",
    too_many_identities: "Nothing was linked: the account has no room for another identity. Remove one first.",
    unavailable: "Nothing was linked: the service could not look up the account. Try again in a minute.",
  }),
);
