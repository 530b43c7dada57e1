import type { ReactNode } from "react";
import { browserName } from "#domain/browser-name.ts";
import { Card, CardBody, CardHead } from "../ui/card.tsx";
import { Cell, HeadCell, Row, RowHead, Table, TableBody, TableHead } from "../ui/table.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { eventInWords, type ShownEvent } from "./event-words.ts";

/** Events of the security log, newest first. `foot` links to the whole log, or is its pager. */
export function EventTable({
  title,
  events,
  empty = "Nothing happened in the last 90 days.",
  foot,
  now,
  zone,
}: {
  title: string;
  events: readonly ShownEvent[];
  /** Shown in place of the table when there are none. */
  empty?: string;
  foot?: ReactNode;
  now: Date;
  zone: string;
}) {
  return (
    <Card aria-labelledby="events">
      <CardHead title={title} id="events" />
      {events.length === 0 ? (
        <CardBody className="text-ink-soft text-sm">{empty}</CardBody>
      ) : (
        <Table caption="Events, newest first" stacks dense>
          <TableHead>
            <HeadCell>What</HeadCell>
            <HeadCell>From</HeadCell>
            <HeadCell>When</HeadCell>
          </TableHead>
          <TableBody>
            {events.map((event) => (
              <Row key={event.id}>
                <RowHead stacked="line" className="wrap-anywhere min-w-0">
                  {eventInWords(event)}
                </RowHead>
                <Cell stacked="line" className="wrap-anywhere min-w-0 text-ink-muted">
                  <Source network={event.network} userAgent={event.userAgent} />
                </Cell>
                <Cell className="whitespace-nowrap text-ink-muted">
                  <RelativeTime at={new Date(event.lastAt)} now={now} zone={zone} />
                </Cell>
              </Row>
            ))}
          </TableBody>
        </Table>
      )}
      {foot}
    </Card>
  );
}

const TEXT_LENGTH_MAX = 60;

function Source({ network, userAgent }: Pick<ShownEvent, "network" | "userAgent">) {
  if (network === null && userAgent === null) return "—";
  const name = userAgent && (browserName(userAgent) ?? userAgent.slice(0, TEXT_LENGTH_MAX));
  return (
    <span title={userAgent ?? undefined}>
      {[network, name].filter((part) => part !== null && part !== "").join(", ")}
    </span>
  );
}
