import type { ScheduleStatus } from "#domain/states.ts";
import { LatenessCell } from "../charts/lateness-cell.tsx";
import { Card, CardBody, CardHead } from "../ui/card.tsx";
import { Status } from "../ui/status.tsx";
import { Cell, HeadCell, Row, Table, TableBody, TableHead } from "../ui/table.tsx";
import { Target } from "../ui/target.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { RelativeTime } from "../ui/time.tsx";

export type Near = {
  id: string;
  href: string;
  status: ScheduleStatus;
  method: string;
  url: string;
  at: Date;
  offsetMs: number | null;
  nextAttemptAt: Date | null;
};

type Seen = { schedules: readonly Near[]; allHref: string; now: Date; zone: string };

/** The schedules that were sent last, the latest first. */
export function RecentlyFired({ schedules, allHref, now, zone }: Seen) {
  const isTwoSided = schedules.some(({ offsetMs }) => offsetMs !== null && offsetMs < 0);
  return (
    <Card aria-labelledby="latest">
      <CardHead id="latest" title="Sent last">
        <TextLink standalone href={allHref} className="text-sm">
          All attempts
        </TextLink>
      </CardHead>
      {schedules.length === 0 ? (
        <CardBody className="text-ink-soft">Nothing was sent yet.</CardBody>
      ) : (
        <Table caption="Schedules that were sent last" stacks dense>
          <TableHead>
            <HeadCell>Status</HeadCell>
            <HeadCell>Target</HeadCell>
            <HeadCell>Late</HeadCell>
            <HeadCell numeric>When</HeadCell>
          </TableHead>
          <TableBody>
            {schedules.map(({ id, href, status, method, url, at, offsetMs, nextAttemptAt }) => (
              <Row key={id}>
                <Cell stacked="title">
                  <Status
                    status={status}
                    next={nextAttemptAt && <RelativeTime at={nextAttemptAt} now={now} zone={zone} isAhead />}
                  />
                </Cell>
                <Cell rest stacked="line">
                  <Target method={method} url={url} href={href} />
                </Cell>
                <Cell label="late" stacked="line">
                  <LatenessCell ms={offsetMs} isTwoSided={isTwoSided} />
                </Cell>
                <Cell numeric stacked="aside">
                  <RelativeTime at={at} now={now} zone={zone} />
                </Cell>
              </Row>
            ))}
          </TableBody>
        </Table>
      )}
    </Card>
  );
}

/** The schedules that are due next, the first of them first. */
export function UpcomingSchedules({ schedules, allHref, now, zone }: Seen) {
  return (
    <Card aria-labelledby="next">
      <CardHead id="next" title="Next">
        <TextLink standalone href={allHref} className="text-sm">
          All scheduled
        </TextLink>
      </CardHead>
      {schedules.length === 0 ? (
        <CardBody className="text-ink-soft">Nothing is scheduled.</CardBody>
      ) : (
        <ol className="py-1.5">
          {schedules.map(({ id, href, method, url, at }) => (
            <li key={id} className="flex items-center gap-3 px-4 py-1 text-sm">
              <span className="w-22 shrink-0 text-ink-soft">
                <RelativeTime at={at} now={now} zone={zone} />
              </span>
              <Target method={method} url={url} href={href} />
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
