import { headers } from "next/headers";
import { ContinueCard } from "#components/account/continue-card.tsx";
import { CONTINUE_PATH } from "#server/billing/forms.ts";
import { readHandOver } from "#server/http/sealed-value.ts";
import { dashboardPage } from "../../dashboard-page.tsx";
import { hrefIn } from "../../view.ts";

export default dashboardPage(CONTINUE_PATH, async ({ ctx, view }) => {
  const handedOver = readHandOver(ctx, CONTINUE_PATH, (await headers()).get("cookie"));
  const account = { href: hrefIn(view.env, "/account"), label: "Account and billing" };
  return {
    title: "Continue",
    crumb: account,
    narrow: true,
    body: <ContinueCard url={handedOver?.url} isPortal={handedOver?.to === "portal"} accountHref={account.href} />,
  };
});
