import { PLAN_NAMES } from "#domain/plans.ts";
import { formatCount } from "../format/number.ts";
import { ApplyOnChange } from "../layout/apply-on-change.tsx";
import { ButtonLink } from "../ui/button.tsx";
import { Card, CardHead } from "../ui/card.tsx";
import { CursorPager } from "../ui/cursor-pager.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { FilterForm, FilterSelect } from "../ui/filter-form.tsx";
import { Cell, HeadCell, Row, RowHead, Table, TableBody, TableHead } from "../ui/table.tsx";
import { Tag } from "../ui/tag.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { AccountStatus } from "./account-status.tsx";

type Account = { id: string; email: string; plan: string; status: string; scheduled: number; limit: number };

const PLANS = Object.fromEntries(PLAN_NAMES.map((name) => [name, name]));
const STATUSES = { active: "active", deactivated: "deactivated" };

type Filter = { q?: string | undefined; plan?: string | undefined; status?: string | undefined };

/** One page of accounts, with the form that filters them by GET. */
export function AccountList({
  accounts,
  total,
  isTotalCapped,
  filter,
  chips,
  env,
  accountHref,
  resetHref,
  firstHref,
  nextHref,
}: {
  accounts: readonly Account[];
  total: number;
  isTotalCapped: boolean;
  filter: Filter;
  /** The active filters, each with the address of the list without it. */
  chips: readonly { label: string; removeHref: string }[];
  env: string;
  accountHref: (id: string) => string;
  resetHref: string;
  firstHref: string | undefined;
  nextHref: string | undefined;
}) {
  const isFiltered = chips.length > 0;
  return (
    <Card>
      <CardHead title="Accounts">
        <span className="text-ink-muted text-xs">
          {isTotalCapped ? "more than " : ""}
          {formatCount(total)}
          {isFiltered && " match"}
        </span>
      </CardHead>
      <FilterForm
        label="Filter accounts"
        action="/admin"
        kept={{ env: env === "test" ? env : undefined }}
        searched="Part of an e-mail address, or a whole account id"
        placeholder="E-mail or account id"
        q={filter.q}
        chips={chips}
        resetHref={resetHref}
      >
        <FilterSelect name="plan" label="Plan" value={filter.plan} any="Any plan" options={PLANS} />
        <FilterSelect name="status" label="Status" value={filter.status} any="Any status" options={STATUSES} />
        <ApplyOnChange total={total} isCapped={isTotalCapped} what="account" />
      </FilterForm>
      {accounts.length === 0 ? (
        <EmptyState
          title={isFiltered ? "No account matches" : "No account here"}
          art="no-match"
          heading="h3"
          actions={<ButtonLink href={resetHref}>{isFiltered ? "Reset" : "First page"}</ButtonLink>}
        >
          <p>Part of an e-mail address is enough; an account id has to be complete.</p>
        </EmptyState>
      ) : (
        <AccountTable accounts={accounts} accountHref={accountHref} />
      )}
      {(firstHref || nextHref) && <CursorPager label="Pages of accounts" firstHref={firstHref} nextHref={nextHref} />}
    </Card>
  );
}

function AccountTable({
  accounts,
  accountHref,
}: {
  accounts: readonly Account[];
  accountHref: (id: string) => string;
}) {
  return (
    <Table caption="Accounts" stacks>
      <TableHead>
        <HeadCell>Account</HeadCell>
        <HeadCell>Plan</HeadCell>
        <HeadCell numeric>Used this month</HeadCell>
        <HeadCell>Status</HeadCell>
      </TableHead>
      <TableBody>
        {accounts.map(({ id, email, plan, status, scheduled, limit }) => (
          <Row key={id}>
            <RowHead stacked="line" className="wrap-anywhere min-w-0">
              <TextLink standalone href={accountHref(id)}>
                {email}
              </TextLink>
            </RowHead>
            <Cell>
              <Tag>{plan}</Tag>
            </Cell>
            <Cell numeric label="used">
              <span className={scheduled > limit ? "text-bad" : ""}>
                {formatCount(scheduled)} of {formatCount(limit)}
              </span>
            </Cell>
            <Cell>
              <AccountStatus status={status} />
            </Cell>
          </Row>
        ))}
      </TableBody>
    </Table>
  );
}
