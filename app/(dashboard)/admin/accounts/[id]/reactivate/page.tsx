import { StatusQuestion } from "#components/admin/status-question.tsx";
import { readAccount } from "#server/admin/read-account.ts";
import { hrefIn } from "../../../../view.ts";
import { adminPage } from "../../../admin-page.tsx";

export default adminPage("/admin/accounts/[id]/reactivate", async ({ admin, view, routeParams }) => {
  const account = await readAccount(admin, routeParams.id ?? "");
  const accountHref = hrefIn(view.env, `/admin/accounts/${account.id}`);
  return {
    title: "Reactivate",
    documentTitle: "Reactivate an account",
    crumb: { href: accountHref, label: account.email },
    narrow: true,
    body: (
      <StatusQuestion
        act="reactivate"
        account={account}
        action="/admin/reactivate"
        env={view.env}
        accountHref={accountHref}
        error={view.params.error}
      />
    ),
  };
});
