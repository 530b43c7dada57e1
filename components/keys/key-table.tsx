import { CircleCheck, CircleSlash } from "lucide";
import type { ReactNode } from "react";
import type { Environment } from "#domain/environment.ts";
import { ButtonLink } from "../ui/button.tsx";
import { Card, CardFoot } from "../ui/card.tsx";
import { Icon } from "../ui/icon.tsx";
import { Pager } from "../ui/pager.tsx";
import { Cell, HeadCell, Row, RowHead, Table, TableBody, TableHead } from "../ui/table.tsx";
import { Tag } from "../ui/tag.tsx";
import { RelativeTime } from "../ui/time.tsx";

export type ShownKey = {
  id: string;
  name: string;
  env: Environment;
  prefix: string;
  last4: string;
  created_at: string;
  last_used_at: string | null;
  revoked_at: string | null;
};

/** API keys without their raw values. `hrefOf` is the confirm page of an act on a key. */
export function KeyTable({
  keys,
  from,
  total,
  previous,
  next,
  now,
  zone,
  hrefOf,
}: {
  keys: readonly ShownKey[];
  from: number;
  total: number;
  previous: string | undefined;
  next: string | undefined;
  now: Date;
  zone: string;
  hrefOf: (id: string, act: "rotate" | "revoke") => string;
}) {
  const time = (at: string) => <RelativeTime at={new Date(at)} now={now} zone={zone} />;
  return (
    <Card>
      <Table caption="API keys" stacks>
        <TableHead>
          <HeadCell>Name</HeadCell>
          <HeadCell>Environment</HeadCell>
          <HeadCell>Key</HeadCell>
          <HeadCell>Created</HeadCell>
          <HeadCell>Last used</HeadCell>
          <HeadCell>Status</HeadCell>
          <HeadCell>
            <span className="sr-only">Actions</span>
          </HeadCell>
        </TableHead>
        <TableBody>
          {keys.map((key) => (
            <Row key={key.id}>
              <RowHead stacked="title" className="wrap-anywhere min-w-0 font-medium">
                {key.name}
              </RowHead>
              <Cell stacked="aside">
                <Tag kind={key.env}>{key.env}</Tag>
              </Cell>
              <Cell stacked="line">
                <code className="whitespace-nowrap">{`${key.prefix}…${key.last4}`}</code>
              </Cell>
              <Cell label="created">{time(key.created_at)}</Cell>
              <Cell label="used">{key.last_used_at === null ? "never" : time(key.last_used_at)}</Cell>
              <Cell>{key.revoked_at === null ? <Active /> : <Revoked>{time(key.revoked_at)}</Revoked>}</Cell>
              <Cell>
                {key.revoked_at === null && (
                  <span className="flex justify-end gap-2">
                    <ButtonLink size="small" href={hrefOf(key.id, "rotate")} aria-label={`Rotate ${key.name}`}>
                      Rotate
                    </ButtonLink>
                    <ButtonLink
                      size="small"
                      kind="danger"
                      href={hrefOf(key.id, "revoke")}
                      aria-label={`Revoke ${key.name}`}
                    >
                      Revoke
                    </ButtonLink>
                  </span>
                )}
              </Cell>
            </Row>
          ))}
        </TableBody>
      </Table>
      {(previous || next) && (
        <Pager from={from} to={from + keys.length - 1} total={total} previous={previous} next={next} />
      )}
      <CardFoot>
        A live key sees live schedules only, a test key test ones. Keys cannot create, rotate or revoke keys.
      </CardFoot>
    </Card>
  );
}

function Active() {
  return (
    <span className="inline-flex items-center gap-1.5 align-middle text-ok">
      <Icon of={CircleCheck} small />
      active
    </span>
  );
}

function Revoked({ children }: { children: ReactNode }) {
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap align-middle text-ink-muted">
      <Icon of={CircleSlash} small />
      <span>revoked {children}</span>
    </span>
  );
}
