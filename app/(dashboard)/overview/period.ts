import { formatSpan } from "#components/format/span.ts";
import { isHeld, PERIODS, type Period } from "#domain/overview.ts";
import type { PlanName, Plans } from "#domain/plans.ts";
import type { Overview } from "#server/overview/overview.ts";
import { hrefIn, type View } from "../view.ts";

const PERIOD_WORDS: Record<Period, string> = {
  "24h": "the last 24 hours",
  "7d": "the last 7 days",
  "30d": "the last 30 days",
};

/** What the figures are of ("the last 24 hours", "26 Nov, 09:00–15:00 UTC"), and what a bucket of their series is. */
export function spanInWords({ period, isOfRange, span }: Overview, zone: string): { words: string; bucket: string } {
  const hours = span.stepMs / HOUR_MS;
  const endsAt = new Date(span.startsAt.getTime() + span.steps * span.stepMs);
  return {
    words: isOfRange ? `${formatSpan(span.startsAt, endsAt, zone)} ${zone}` : PERIOD_WORDS[period],
    bucket: hours === 1 ? "hour" : hours === 24 ? "day" : `${hours} hours`,
  };
}

const HOUR_MS = 3_600_000;

/** What the field of the range suggests. */
export const OVERVIEW_SUGGESTIONS = [
  ...["today", "yesterday", "last night", "this week"],
  ...["last 7 days", "this month", "last month"],
] as const;

/** The period `name` (the first one for an unknown name), shortened to the longest that the plan's retention covers. */
export function chosenPeriod(name: string | undefined, retentionDays: number): Period {
  const wanted = PERIODS.find((period) => period === name) ?? PERIODS[0];
  const upTo = PERIODS.slice(0, PERIODS.indexOf(wanted) + 1);
  return upTo.findLast((period) => isHeld(period, retentionDays)) ?? PERIODS[0];
}

/** The choices of periods. One longer than the plan's retention is locked; the reason names the plan that covers it. */
export function periodChoices(view: View, plan: PlanName, plans: Plans, isOfRange: boolean) {
  const { retentionDays } = plans[plan];
  const current = chosenPeriod(view.params.period, retentionDays);
  return PERIODS.map((period) => ({
    href: hrefIn(view.env, view.path, { period: period === PERIODS[0] ? undefined : period }),
    label: period,
    isCurrent: period === current && !isOfRange,
    ...(period !== PERIODS[0] && !isHeld(period, retentionDays) && { locked: whyLocked(plan, plans) }),
  }));
}

function whyLocked(plan: PlanName, plans: Plans): string {
  const keeps = (name: PlanName) => plans[name].retentionDays;
  const more = plan === "free" && keeps("indie") > keeps("free") ? ` Indie keeps ${keeps("indie")}.` : "";
  return `${plan === "free" ? "Free" : "Indie"} keeps ${keeps(plan)} days of attempts.${more}`;
}
