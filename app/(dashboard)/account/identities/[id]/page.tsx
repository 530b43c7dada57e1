import { Confirm } from "#components/ui/confirm.tsx";
import { PROVIDER_NAMES } from "#domain/providers.ts";
import { listOwnIdentities, presentIdentity } from "#server/identities/list.ts";
import { noSuchIdentity } from "#server/identities/remove.ts";
import { dashboardPage } from "../../../dashboard-page.tsx";
import { hrefIn } from "../../../view.ts";

export default dashboardPage("/account/identities/[id]", async ({ ctx, view, routeParams }) => {
  const identity = (await listOwnIdentities(ctx)).map(presentIdentity).find(({ id }) => id === routeParams.id);
  if (identity === undefined) throw noSuchIdentity();
  const account = { href: hrefIn(view.env, "/account"), label: "Account and billing" };
  const provider = PROVIDER_NAMES[identity.provider];
  return {
    title: "Remove",
    documentTitle: "Remove an identity",
    crumb: account,
    narrow: true,
    body: (
      <Confirm
        title={`Remove ${provider}?`}
        action="/account/identities/remove"
        fields={{ id: identity.id, env: view.env }}
        label={`Remove ${provider}`}
        keep={{ href: account.href, label: "Keep it" }}
      >
        <p>It can no longer sign in to your account. Sessions stay: end them on the account page.</p>
        <p>Nobody but you can link it anew, on the account page.</p>
      </Confirm>
    ),
  };
});
