import { formatCount } from "../format/number.ts";
import { Card, CardBody, CardHead } from "../ui/card.tsx";
import { Copy } from "../ui/copy.tsx";
import { Facts } from "../ui/facts.tsx";
import { Cell, HeadCell, Row, RowHead, Table, TableBody, TableHead } from "../ui/table.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { AccountStatus } from "./account-status.tsx";

type Figures = {
  schedules: { active: number; failed: number; dead: number; dueSoon: number };
  usage: { scheduled: number; limit: number; grace_limit: number };
};

type Account = {
  id: string;
  name: string | null;
  status: string;
  emailVerified: boolean;
  plan: string;
  grantedPlan: string;
  subscriptionStatus: string;
  periodEnd: Date | null;
  createdAt: string;
  lastUsedAt: Date | null;
  keys: number;
  sessions: number;
  live: Figures;
  test: Figures;
};

/** What an administrator sees of one account. */
export function AccountFacts({ account, now, zone }: { account: Account; now: Date; zone: string }) {
  const time = (at: Date) => <RelativeTime at={at} now={now} zone={zone} />;
  return (
    <>
      <Card aria-labelledby="account">
        <CardHead title="Account" id="account">
          <AccountStatus status={account.status} />
        </CardHead>
        <CardBody>
          <Facts
            wide
            items={[
              [
                "Id",
                <span key="id" className="inline-flex max-w-full items-center gap-1">
                  <code className="wrap-anywhere">{account.id}</code>
                  <Copy text={account.id} what="account id" />
                </span>,
              ],
              ["Name", account.name ?? "—"],
              ["E-mail", account.emailVerified ? "verified" : "not verified"],
              ["Plan", `${account.plan} (granted: ${account.grantedPlan})`],
              [
                "Subscription",
                <span key="subscription">
                  {account.subscriptionStatus}
                  {account.periodEnd && <>, until {time(account.periodEnd)}</>}
                </span>,
              ],
              ["Created", time(new Date(account.createdAt))],
              ["Last used", account.lastUsedAt ? time(account.lastUsedAt) : "never"],
              ["Active API keys", formatCount(account.keys)],
              ["Sessions", formatCount(account.sessions)],
            ]}
          />
        </CardBody>
      </Card>
      <Card>
        <Table caption="Usage and schedules" dense>
          <TableHead>
            <HeadCell>
              <span className="sr-only">Figure</span>
            </HeadCell>
            <HeadCell numeric>Live</HeadCell>
            <HeadCell numeric>Test</HeadCell>
          </TableHead>
          <TableBody>
            {FIGURES.map(([label, inWords]) => (
              <Row key={label}>
                <RowHead>{label}</RowHead>
                <Cell numeric>{inWords(account.live)}</Cell>
                <Cell numeric>{inWords(account.test)}</Cell>
              </Row>
            ))}
          </TableBody>
        </Table>
      </Card>
    </>
  );
}

const FIGURES: readonly (readonly [label: string, inWords: (figures: Figures) => string])[] = [
  ["Used this month", ({ usage }) => `${formatCount(usage.scheduled)} of ${formatCount(usage.limit)}`],
  ["Active schedules", ({ schedules }) => formatCount(schedules.active)],
  ["Due within an hour", ({ schedules }) => formatCount(schedules.dueSoon)],
  ["Failed within 24 h", ({ schedules }) => formatCount(schedules.failed)],
  ["Died within 24 h", ({ schedules }) => formatCount(schedules.dead)],
];
