import { StatusQuestion } from "#components/admin/status-question.tsx";
import { readAccount } from "#server/admin/read-account.ts";
import { hrefIn } from "../../../view.ts";
import { adminPage } from "../../admin-page.tsx";

const TITLES = { deactivate: "Deactivate", reactivate: "Reactivate" };

/** The page that asks before an account is deactivated or reactivated. */
export function statusPage(act: keyof typeof TITLES) {
  return adminPage(`/admin/accounts/[id]/${act}`, async ({ admin, view, routeParams }) => {
    const account = await readAccount(admin, routeParams.id ?? "");
    const accountHref = hrefIn(view.env, `/admin/accounts/${account.id}`);
    return {
      title: TITLES[act],
      documentTitle: `${TITLES[act]} an account`,
      crumb: { href: accountHref, label: account.email },
      narrow: true,
      body: (
        <StatusQuestion
          act={act}
          account={account}
          action={`/admin/${act}`}
          env={view.env}
          accountHref={accountHref}
          error={view.params.error}
        />
      ),
    };
  });
}
