import { isHeld, PERIODS, type Period } from "#domain/overview.ts";
import type { PlanName, Plans } from "#domain/plans.ts";
import { hrefWith, type View } from "../view.ts";

/** A period in words ("the last 24 hours"), and what a bucket of its series is. */
export const PERIOD_WORDS: Record<Period, { words: string; bucket: string }> = {
  "24h": { words: "24 hours", bucket: "hour" },
  "7d": { words: "7 days", bucket: "6 hours" },
  "30d": { words: "30 days", bucket: "day" },
};

/** The period `name` (the first one for an unknown name), shortened to the longest that the plan's retention covers. */
export function chosenPeriod(name: string | undefined, retentionDays: number): Period {
  const wanted = PERIODS.find((period) => period === name) ?? PERIODS[0];
  const upTo = PERIODS.slice(0, PERIODS.indexOf(wanted) + 1);
  return upTo.findLast((period) => isHeld(period, retentionDays)) ?? PERIODS[0];
}

/** The choices of periods. One longer than the plan's retention is locked; the reason names the plan that covers it. */
export function periodChoices(view: View, plan: PlanName, plans: Plans) {
  const { retentionDays } = plans[plan];
  const current = chosenPeriod(view.params.period, retentionDays);
  return PERIODS.map((period) => ({
    href: hrefWith(view, { period: period === PERIODS[0] ? undefined : period }),
    label: period,
    isCurrent: period === current,
    ...(period !== PERIODS[0] && !isHeld(period, retentionDays) && { locked: whyLocked(plan, plans) }),
  }));
}

function whyLocked(plan: PlanName, plans: Plans): string {
  const keeps = (name: PlanName) => plans[name].retentionDays;
  const more = plan === "free" && keeps("indie") > keeps("free") ? ` Indie keeps ${keeps("indie")}.` : "";
  return `${plan === "free" ? "Free" : "Indie"} keeps ${keeps(plan)} days of attempts.${more}`;
}
