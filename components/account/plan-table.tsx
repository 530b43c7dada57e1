import { graceLimit, PLAN_NAMES, type PlanLimits, type PlanName, type Plans } from "#domain/plans.ts";
import { formatBytes, formatCount } from "../format/number.ts";
import { Cell, HeadCell, Row, RowHead, Table, TableBody, TableHead } from "../ui/table.tsx";
import { Tag } from "../ui/tag.tsx";

/** What each plan allows, beside each other. `own` is the plan of the account. */
export function PlanTable({ own, plans }: { own: PlanName; plans: Plans }) {
  return (
    <Table caption="Plans compared" dense>
      <TableHead>
        <HeadCell>
          <span className="sr-only">Limit</span>
        </HeadCell>
        {PLAN_NAMES.map((name) => (
          <HeadCell key={name} numeric>
            <span className="inline-flex flex-wrap items-center justify-end gap-1.5">
              <span className="font-medium text-ink first-letter:uppercase">{nameOf(name)}</span>
              {name === own && <Tag>your plan</Tag>}
            </span>
          </HeadCell>
        ))}
      </TableHead>
      <TableBody>
        {LIMITS.map(([label, inWords]) => (
          <Row key={label}>
            <RowHead>{label}</RowHead>
            {PLAN_NAMES.map((name) => (
              <Cell key={name} numeric>
                {inWords(plans[name])}
              </Cell>
            ))}
          </Row>
        ))}
      </TableBody>
    </Table>
  );
}

const days = (count: number) => `${formatCount(count)} ${count === 1 ? "day" : "days"}`;

const LIMITS: readonly (readonly [label: string, inWords: (limits: PlanLimits) => string])[] = [
  ["Schedules a month", ({ monthlyQuota }) => formatCount(monthlyQuota)],
  ["With grace", ({ monthlyQuota }) => formatCount(graceLimit(monthlyQuota))],
  ["Test schedules a month", ({ testMonthlyQuota }) => formatCount(testMonthlyQuota)],
  ["Payload", ({ payloadBytesMax }) => formatBytes(payloadBytesMax)],
  ["Schedules in one bulk request", ({ bulkItemsMax }) => formatCount(bulkItemsMax)],
  ["Calls per second", ({ cpsLimit }) => formatCount(cpsLimit)],
  ["Retries, at most", ({ retryAttemptsMax }) => formatCount(retryAttemptsMax)],
  ["Log and payloads kept", ({ retentionDays }) => days(retentionDays)],
  ["Schedules kept after their end", ({ terminalDays }) => days(terminalDays)],
  ["API requests a minute", ({ requestsPerMinute }) => formatCount(requestsPerMinute)],
];

/** The name of a plan for people. */
export function nameOf(plan: PlanName): string {
  return plan.charAt(0).toUpperCase() + plan.slice(1);
}
