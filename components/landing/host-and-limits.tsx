import { PLAN_NAMES, type PlanLimits, type PlanName, type Plans } from "#domain/plans.ts";
import { formatBytes, formatCount } from "../format/number.ts";
import { Card } from "../ui/card.tsx";
import { CodeBlock } from "../ui/code-block.tsx";
import { Cell, HeadCell, Row, RowHead, Table, TableBody, TableHead } from "../ui/table.tsx";
import { TextLink } from "../ui/text-link.tsx";

const LIMITS: readonly (readonly [label: string, value: (plan: PlanLimits) => string])[] = [
  ["Schedules a month", ({ monthlyQuota }) => formatCount(monthlyQuota)],
  ["Calls per second", ({ cpsLimit }) => formatCount(cpsLimit)],
  ["Payload", ({ payloadBytesMax }) => formatBytes(payloadBytesMax)],
  ["Bulk, per call", ({ bulkItemsMax }) => formatCount(bulkItemsMax)],
  ["Retries, at most", ({ retryAttemptsMax }) => formatCount(retryAttemptsMax)],
  ["Log kept", ({ retentionDays }) => `${formatCount(retentionDays)} ${retentionDays === 1 ? "day" : "days"}`],
  ["API requests a minute", ({ requestsPerMinute }) => formatCount(requestsPerMinute)],
];

const NAMES: Record<PlanName, string> = { free: "Free", indie: "Indie" };

/** How to self-host, and the configured plan limits of this installation. */
export function HostAndLimits({ plans, defaultPlan }: { plans: Plans; defaultPlan: PlanName }) {
  return (
    <section className="mt-[clamp(3rem,7vw,5.5rem)] grid grid-cols-[repeat(auto-fit,minmax(min(100%,22rem),1fr))] items-start gap-10">
      <div id="host" className="grid min-w-0 grid-cols-1 gap-4">
        <h2 className="text-2xl">Yours to host</h2>
        <p className="max-w-112 text-ink-soft text-lg">
          A web API and a dispatcher over one PostgreSQL. The first start brings its own database; later, name yours.
          Limits are a setting.
        </p>
        <CodeBlock title="Terminal" what="self-host commands" code={"npm ci\nnpm start"} />
        <p className="text-ink-muted text-xs">
          In a copy of the source. It listens on http://localhost:3000.{" "}
          <TextLink href="/docs/self-hosting">Self-hosting</TextLink> has the rest.
        </p>
      </div>
      <div className="grid min-w-0 grid-cols-1 gap-4">
        <h2 className="text-2xl">Limits here</h2>
        <Card>
          <Table caption="Plans compared">
            <TableHead>
              <HeadCell>
                <span className="sr-only">Limit</span>
              </HeadCell>
              {PLAN_NAMES.map((name) => (
                <HeadCell key={name} numeric>
                  {NAMES[name]}
                </HeadCell>
              ))}
            </TableHead>
            <TableBody>
              {LIMITS.map(([label, value]) => (
                <Row key={label}>
                  <RowHead>{label}</RowHead>
                  {PLAN_NAMES.map((name) => (
                    <Cell key={name} numeric>
                      {value(plans[name])}
                    </Cell>
                  ))}
                </Row>
              ))}
            </TableBody>
          </Table>
        </Card>
        <p className="text-ink-muted text-xs">
          New accounts are on {NAMES[defaultPlan]}. Whoever runs this installation sets these limits.
        </p>
      </div>
    </section>
  );
}
