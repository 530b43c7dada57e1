import { PLAN_NAMES } from "#domain/plans.ts";
import { formatCount } from "../format/number.ts";
import { Button, ButtonLink } from "../ui/button.tsx";
import { Card, CardHead } from "../ui/card.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { Cell, HeadCell, Row, RowHead, Table, TableBody, TableHead } from "../ui/table.tsx";
import { Tag } from "../ui/tag.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { AccountStatus } from "./account-status.tsx";

type Account = { id: string; email: string; plan: string; status: string; scheduled: number; limit: number };

type Filter = { q?: string | undefined; plan?: string | undefined; status?: string | undefined };

/** One page of accounts, with the form that filters them by GET. */
export function AccountList({
  accounts,
  total,
  isTotalCapped,
  filter,
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
  env: string;
  accountHref: (id: string) => string;
  resetHref: string;
  firstHref: string | undefined;
  nextHref: string | undefined;
}) {
  const isFiltered = Boolean(filter.q || filter.plan || filter.status);
  return (
    <Card>
      <CardHead title="Accounts">
        <span className="text-ink-muted text-xs">
          {isTotalCapped ? "more than " : ""}
          {formatCount(total)}
          {isFiltered && " match"}
        </span>
      </CardHead>
      <search>
        <form action="/admin" className="flex flex-wrap items-end gap-3 border-line border-b px-4 py-3">
          {env === "test" && <input type="hidden" name="env" value="test" />}
          <TextField
            name="q"
            type="search"
            label="E-mail or account id"
            defaultValue={filter.q}
            autoComplete="off"
            className="min-w-56"
          />
          <SelectField name="plan" label="Plan" defaultValue={filter.plan ?? ""}>
            <option value="">any</option>
            {PLAN_NAMES.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </SelectField>
          <SelectField name="status" label="Status" defaultValue={filter.status ?? ""}>
            <option value="">any</option>
            <option>active</option>
            <option>deactivated</option>
          </SelectField>
          <span className="flex gap-2">
            <Button type="submit" className="h-9">
              Find
            </Button>
            {isFiltered && (
              <ButtonLink kind="ghost" href={resetHref} className="h-9">
                Reset
              </ButtonLink>
            )}
          </span>
        </form>
      </search>
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
      {(firstHref || nextHref) && <Steps label="Pages of accounts" firstHref={firstHref} nextHref={nextHref} />}
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

/** The way through a list that is paged from its last row: to its first page and to the next one. */
export function Steps({
  label,
  firstHref,
  nextHref,
}: {
  label: string;
  firstHref: string | undefined;
  nextHref: string | undefined;
}) {
  return (
    <nav aria-label={label} className="flex justify-end gap-1.5 border-line border-t px-4 py-2">
      {firstHref && (
        <ButtonLink size="small" href={firstHref}>
          First page
        </ButtonLink>
      )}
      {nextHref && (
        <ButtonLink size="small" href={nextHref} rel="next">
          Next
        </ButtonLink>
      )}
    </nav>
  );
}
