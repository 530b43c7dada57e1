import { CircleCheck, CircleSlash, Hourglass, type IconNode } from "lucide";
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
  /** When it expires or expired, after a rotation with an overlap. */
  expires_at: string | null;
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
              <Cell>
                <KeyStatus shown={key} time={time} />
              </Cell>
              <Cell>
                {key.revoked_at === null && (
                  <span className="flex justify-end gap-2">
                    {key.expires_at === null && (
                      <ButtonLink size="small" href={hrefOf(key.id, "rotate")} aria-label={`Rotate ${key.name}`}>
                        Rotate
                      </ButtonLink>
                    )}
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

function KeyStatus({ shown, time }: { shown: ShownKey; time: (at: string) => ReactNode }) {
  const { revoked_at, expires_at } = shown;
  if (revoked_at !== null) {
    return (
      <Line of={CircleSlash} colour="text-ink-muted">
        {expires_at === null ? "revoked" : "expired"} {time(revoked_at)}
      </Line>
    );
  }
  if (expires_at !== null) {
    return (
      <Line of={Hourglass} colour="text-warn">
        expires {time(expires_at)}
      </Line>
    );
  }
  return (
    <Line of={CircleCheck} colour="text-ok">
      active
    </Line>
  );
}

function Line({ of, colour, children }: { of: IconNode; colour: string; children: ReactNode }) {
  return (
    <span className={`inline-flex items-center gap-1.5 whitespace-nowrap align-middle ${colour}`}>
      <Icon of={of} small />
      <span>{children}</span>
    </span>
  );
}
