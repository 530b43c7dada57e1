import type { LEFT_OUT_REASONS } from "#domain/recurrence-step.ts";
import type { ScheduleStatus } from "#domain/states.ts";
import { LatenessCell } from "../charts/lateness-cell.tsx";
import { LatenessTape, type TapeBucket } from "../charts/lateness-tape.tsx";
import { formatHour, formatShortDay } from "../format/instant.ts";
import { formatCount } from "../format/number.ts";
import { Card, CardBody, CardFoot, CardHead } from "../ui/card.tsx";
import { Status } from "../ui/status.tsx";
import { Cell, HeadCell, Row, RowHead, Table, TableBody, TableHead } from "../ui/table.tsx";
import { TextLink } from "../ui/text-link.tsx";

export type Reason = (typeof LEFT_OUT_REASONS)[number];

/** An instant of a recurrence that is due: its schedule, or why there was none. `to` is the last one where it stands for several. */
export type PastOccurrence = { at: Date } & (
  | { href: string; status: ScheduleStatus; offsetMs: number | null }
  | { to: Date; count: number | null; reason: Reason }
);

const REASONS: Record<Reason, string> = {
  missed: "nothing could make it in time",
  over_quota: "the month’s quota was used up",
  overlap: "an earlier one was open",
  not_allowed: "the target is not allowed, or the stored request cannot be read",
};

/** Bars of the tape; the table has fewer rows. */
const ROWS_MAX = 20;

/** What became of the instants that are due, the newest first: how late each was, or why nothing was sent. */
export function PastOccurrences({
  occurrences,
  zone,
  listHref,
}: {
  occurrences: readonly PastOccurrence[];
  zone: string;
  /** All its schedules. */
  listHref: string;
}) {
  const hrefs = new Map(occurrences.map((one) => [one.at.getTime(), "href" in one ? one.href : listHref]));
  const isTwoSided = occurrences.some((one) => "href" in one && one.offsetMs !== null && one.offsetMs < 0);
  return (
    <Card aria-labelledby="past">
      <CardHead id="past" title="Past occurrences">
        <span className="text-ink-muted text-xs">{zone}</span>
      </CardHead>
      {occurrences.length === 0 ? (
        <CardBody className="text-ink-soft text-sm">None yet.</CardBody>
      ) : (
        <>
          <CardBody>
            <LatenessTape
              buckets={occurrences.map(bucketOf).toReversed()}
              what="occurrence"
              zone={zone}
              stepMs={MINUTE_MS}
              hrefOf={({ startsAt }) => hrefs.get(startsAt.getTime()) ?? listHref}
              endsNow={false}
              isSingle
              hasEarly={isTwoSided}
            />
          </CardBody>
          <Table caption="Past occurrences, the newest first" dense>
            <TableHead>
              <HeadCell>Was due</HeadCell>
              <HeadCell>Became</HeadCell>
              <HeadCell>Late</HeadCell>
            </TableHead>
            <TableBody>
              {occurrences.slice(0, ROWS_MAX).map((one) => (
                <Row key={one.at.getTime()}>
                  <RowHead className="whitespace-nowrap">
                    {"href" in one ? (
                      <a href={one.href} className="row-link inline-block leading-6">
                        <When at={one.at} zone={zone} />
                      </a>
                    ) : (
                      <When at={one.at} zone={zone} />
                    )}
                  </RowHead>
                  {"href" in one ? (
                    <>
                      <Cell>
                        <Status status={one.status} />
                      </Cell>
                      <Cell className="max-sm:[&_svg]:hidden">
                        <LatenessCell ms={one.offsetMs} isTwoSided={isTwoSided} />
                      </Cell>
                    </>
                  ) : (
                    <Cell colSpan={2} className="text-ink-soft">
                      Not sent: {REASONS[one.reason]}
                      {one.count !== 1 && <Several {...one} zone={zone} />}
                    </Cell>
                  )}
                </Row>
              ))}
            </TableBody>
          </Table>
          <CardFoot>
            <TextLink standalone href={listHref}>
              All its schedules
            </TextLink>
          </CardFoot>
        </>
      )}
    </Card>
  );
}

const MINUTE_MS = 60_000;

function bucketOf(one: PastOccurrence): TapeBucket {
  const ms = "href" in one ? one.offsetMs : null;
  return { startsAt: one.at, count: ms === null ? 0 : 1, p50: ms, p95: ms };
}

function When({ at, zone }: { at: Date; zone: string }) {
  return (
    <time dateTime={at.toISOString()}>
      {formatShortDay(at, zone)}, {formatHour(at, zone)}
    </time>
  );
}

function Several({ count, to, zone }: { count: number | null; to: Date; zone: string }) {
  return (
    <>
      , {count === null ? "very many" : formatCount(count)} until <When at={to} zone={zone} />
    </>
  );
}
