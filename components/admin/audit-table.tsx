import { Card, CardBody, CardHead } from "../ui/card.tsx";
import { CursorPager } from "../ui/cursor-pager.tsx";
import { Cell, HeadCell, Row, RowHead, Table, TableBody, TableHead } from "../ui/table.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { RelativeTime } from "../ui/time.tsx";

type Act = {
  id: string;
  at: string;
  actor: { kind: string; accountId: string | null; email: string | null };
  action: string;
  subject: { accountId: string; email: string | null };
  before: Readonly<Record<string, string>>;
  after: Readonly<Record<string, string>>;
};

/** Acts of administrators, newest first. With `accountHref` each names its account. */
export function AuditTable({
  acts,
  now,
  zone,
  accountHref,
  firstHref,
  nextHref,
}: {
  acts: readonly Act[];
  now: Date;
  zone: string;
  accountHref?: (id: string) => string;
  firstHref: string | undefined;
  nextHref: string | undefined;
}) {
  return (
    <Card>
      <CardHead title={accountHref ? "All acts" : "Audit log"} />
      {acts.length === 0 ? (
        <CardBody className="text-ink-soft text-sm">
          {accountHref ? "No administrator has changed anything yet." : "No administrator has changed this account."}
        </CardBody>
      ) : (
        <Table caption="Audit log" stacks>
          <TableHead>
            <HeadCell>Act</HeadCell>
            {accountHref && <HeadCell>Account</HeadCell>}
            <HeadCell>Change</HeadCell>
            <HeadCell>Reason</HeadCell>
            <HeadCell>By</HeadCell>
            <HeadCell>When</HeadCell>
          </TableHead>
          <TableBody>
            {acts.map(({ id, at, actor, action, subject, before, after }) => (
              <Row key={id}>
                <RowHead stacked="title">{ACTS.get(action) ?? action}</RowHead>
                {accountHref && (
                  <Cell stacked="line" className="wrap-anywhere min-w-0">
                    <TextLink standalone href={accountHref(subject.accountId)}>
                      {subject.email ?? subject.accountId}
                    </TextLink>
                  </Cell>
                )}
                <Cell>{change(before, after)}</Cell>
                <Cell stacked="line" className="wrap-anywhere min-w-0">
                  {after.reason ?? "—"}
                </Cell>
                <Cell label="by">
                  <span className="wrap-anywhere min-w-0">
                    {actor.email ?? (actor.kind === "operator" ? "command line" : actor.accountId)}
                  </span>
                </Cell>
                <Cell stacked="aside">
                  <RelativeTime at={new Date(at)} now={now} zone={zone} />
                </Cell>
              </Row>
            ))}
          </TableBody>
        </Table>
      )}
      {(firstHref || nextHref) && <CursorPager label="Pages of acts" firstHref={firstHref} nextHref={nextHref} />}
    </Card>
  );
}

const ACTS = new Map<string, string>(
  Object.entries({
    set_plan: "Set plan",
    deactivate: "Deactivate",
    reactivate: "Reactivate",
    create: "Create",
    verify_email: "Verify address",
    make_api_key: "Make key",
    start_session: "Start session",
  }),
);

/** What an act changed: `free to indie`. */
function change(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>): string {
  const changed = Object.keys(before).filter((name) => before[name] !== after[name]);
  const [name] = changed.includes("grantedPlan") ? ["grantedPlan"] : changed;
  // What was made has nothing before it: the plan of an account, the environment of a key.
  return name === undefined ? (after.plan ?? after.env ?? "—") : `${before[name]} to ${after[name]}`;
}
