import { graceLimit, PLAN_NAMES, type PlanLimits, type PlanName, type Plans } from "#domain/plans.ts";
import { formatBytes, formatCount } from "../format/number.ts";
import { Cell, HeadCell, Row, RowHead, Table, TableBody, TableHead } from "../ui/table.tsx";
import { Tag } from "../ui/tag.tsx";

/**
 * The plans side by side. `own`: the account's plan, which is marked. Without it, limits that mean nothing to visitors
 * without an account are left out.
 */
export function PlanTable({ plans, own }: { plans: Plans; own?: PlanName }) {
  const shown = LIMITS.filter(({ isForOwners }) => own !== undefined || !isForOwners);
  return (
    <Table caption="Plans compared" dense={own !== undefined}>
      <TableHead>
        <HeadCell>
          <span className="sr-only">Limit</span>
        </HeadCell>
        {PLAN_NAMES.map((plan) => (
          <HeadCell key={plan} numeric>
            {own === undefined ? nameOf(plan) : <OwnHead plan={plan} own={own} />}
          </HeadCell>
        ))}
      </TableHead>
      <TableBody>
        {shown.map(({ label, inWords }) => (
          <Row key={label}>
            <RowHead>{label}</RowHead>
            {PLAN_NAMES.map((plan) => (
              <Cell key={plan} numeric>
                {inWords(plans[plan])}
              </Cell>
            ))}
          </Row>
        ))}
      </TableBody>
    </Table>
  );
}

function OwnHead({ plan, own }: { plan: PlanName; own: PlanName }) {
  return (
    <span className="inline-flex flex-wrap items-center justify-end gap-1.5">
      <span className="font-medium text-ink">{nameOf(plan)}</span>
      {plan === own && <Tag>your plan</Tag>}
    </span>
  );
}

type Limit = { label: string; inWords: (limits: PlanLimits) => string; isForOwners?: boolean };

const days = (count: number) => `${formatCount(count)} ${count === 1 ? "day" : "days"}`;

const LIMITS: readonly Limit[] = [
  { label: "Schedules a month", inWords: ({ monthlyQuota }) => formatCount(monthlyQuota) },
  { label: "With grace", inWords: ({ monthlyQuota }) => formatCount(graceLimit(monthlyQuota)), isForOwners: true },
  {
    label: "Test schedules a month",
    inWords: ({ testMonthlyQuota }) => formatCount(testMonthlyQuota),
    isForOwners: true,
  },
  { label: "Payload", inWords: ({ payloadBytesMax }) => formatBytes(payloadBytesMax) },
  { label: "Schedules in one bulk request", inWords: ({ bulkItemsMax }) => formatCount(bulkItemsMax) },
  { label: "Outgoing requests per second", inWords: ({ cpsLimit }) => formatCount(cpsLimit) },
  { label: "Retries, at most", inWords: ({ retryAttemptsMax }) => formatCount(retryAttemptsMax) },
  { label: "Log and payloads kept", inWords: ({ retentionDays }) => days(retentionDays) },
  { label: "Schedules kept after their end", inWords: ({ terminalDays }) => days(terminalDays), isForOwners: true },
  { label: "API requests a minute", inWords: ({ requestsPerMinute }) => formatCount(requestsPerMinute) },
];

/** The display name of a plan. */
export function nameOf(plan: PlanName): string {
  return plan.charAt(0).toUpperCase() + plan.slice(1);
}
