import { Tag } from "#components/ui/tag.tsx";
import { type Month, MonthCard } from "#components/usage/month-card.tsx";
import { OtherEnvironment } from "#components/usage/other-environment.tsx";
import { PaidLimits } from "#components/usage/paid-limits.tsx";
import { QuotaNotice } from "#components/usage/quota-notice.tsx";
import { UsageText } from "#components/usage/usage-text.tsx";
import type { Environment } from "#domain/environment.ts";
import { type MonthUsage, readMonthUsage } from "#server/overview/usage.ts";
import { dashboardPage } from "../dashboard-page.tsx";
import { hrefIn } from "../view.ts";

const PLAN_NAMES = { free: "Free", indie: "Indie" };

export default dashboardPage("/usage", async ({ ctx, view }) => {
  const other: Environment = view.env === "live" ? "test" : "live";
  const [own, others] = await Promise.all([readMonthUsage(ctx), readMonthUsage(ctx, other)]);
  const month = monthOf(view.env, own);
  return {
    title: "Usage",
    action: <Tag>{PLAN_NAMES[ctx.plan]}</Tag>,
    body: (
      <>
        <QuotaNotice month={month} />
        <MonthCard month={month} />
        <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,20rem),1fr))] items-start gap-5">
          <UsageText month={month} plan={PLAN_NAMES[ctx.plan]} />
          <div className="grid grid-cols-1 gap-5">
            <OtherEnvironment
              env={other}
              scheduled={others.scheduled}
              limit={others.limit}
              href={hrefIn(other, "/usage")}
            />
            {ctx.plan === "free" && ctx.config.stripe !== undefined && (
              <PaidLimits limits={ctx.config.plans.indie} href={hrefIn(view.env, "/account")} />
            )}
          </div>
        </div>
      </>
    ),
  };
});

function monthOf(env: Environment, { scheduled, limit, grace_limit, endsAt, now, projected }: MonthUsage): Month {
  return { env, scheduled, limit, graceLimit: grace_limit, endsAt, now, projected };
}
