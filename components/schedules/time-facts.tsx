import { formatUtcOffset, offsetMsAt } from "#domain/zoned-time.ts";
import { formatClock, formatDay, formatInstant } from "../format/instant.ts";
import { formatOffset } from "../format/offset.ts";
import { Card, CardBody, CardHead } from "../ui/card.tsx";
import { Copy } from "../ui/copy.tsx";
import { Facts } from "../ui/facts.tsx";
import type { ShownSchedule } from "./shown-schedule.ts";

/** The due and actual instants of a schedule, in UTC and in the browser's `zone`, with ISO 8601 to copy. */
export function TimeFacts({ schedule, zone }: { schedule: ShownSchedule; zone: string | undefined }) {
  const { fireAt, firedAt, offsetMs } = schedule;
  return (
    <Card>
      <CardHead title="When" />
      <CardBody className="py-1.5!">
        <Facts
          items={[
            ["Due", <Instant key="due" at={fireAt} what="due instant, ISO" />],
            ["Sent", firedAt ? <Instant key="sent" at={firedAt} what="sent instant, ISO" /> : "Not sent yet"],
            ...(offsetMs === null ? [] : [["Late", formatOffset(offsetMs)] as const]),
            ...(zone === undefined || zone === "UTC"
              ? []
              : [["Local", <Local key="local" at={fireAt} zone={zone} />] as const]),
            [
              "ISO",
              <span key="iso" className="flex items-start justify-between gap-2">
                <span className="font-mono text-xs leading-6">{fireAt.toISOString()}</span>
                <Copy text={fireAt.toISOString()} what="ISO instant" />
              </span>,
            ],
          ]}
        />
      </CardBody>
    </Card>
  );
}

function Instant({ at, what }: { at: Date; what: string }) {
  return (
    <span className="flex items-start justify-between gap-2">
      <time dateTime={at.toISOString()} className="whitespace-normal!">
        {formatInstant(at)}
      </time>
      <Copy text={at.toISOString()} what={what} />
    </span>
  );
}

function Local({ at, zone }: { at: Date; zone: string }) {
  return (
    <time dateTime={at.toISOString()} className="whitespace-normal!">
      {formatDay(at, zone)}, {formatClock(at, zone)}
      <span className="block text-ink-muted">
        {zone}, {formatUtcOffset(offsetMsAt(at.getTime(), zone))}
      </span>
    </time>
  );
}
