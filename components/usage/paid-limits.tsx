import type { PlanLimits } from "#domain/plans.ts";
import { formatCount } from "../format/number.ts";
import { ButtonLink } from "../ui/button.tsx";
import { Card, CardBody, CardHead } from "../ui/card.tsx";

/** The limits of the paid plan, for an account on the free one. */
export function PaidLimits({ limits, href }: { limits: PlanLimits; href: string }) {
  return (
    <Card>
      <CardHead title="More room" />
      <CardBody className="grid justify-items-start gap-3">
        <p className="text-ink-soft">
          Indie holds {formatCount(limits.monthlyQuota)} schedules a month and {formatCount(limits.cpsLimit)} outgoing
          requests per second, and keeps attempts for {formatCount(limits.retentionDays)} days.
        </p>
        <ButtonLink href={href}>See the plan</ButtonLink>
      </CardBody>
    </Card>
  );
}
