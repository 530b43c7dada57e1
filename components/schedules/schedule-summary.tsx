import { Card, CardBody } from "../ui/card.tsx";
import { Facts } from "../ui/facts.tsx";
import { Status } from "../ui/status.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { FullTime } from "../ui/time.tsx";
import type { ShownSchedule } from "./shown-schedule.ts";

/** Identifies the schedule on a page that asks about an action. */
export function ScheduleSummary({ schedule, zone, href }: { schedule: ShownSchedule; zone: string; href: string }) {
  return (
    <Card aria-label="The schedule">
      <CardBody className="py-1.5!">
        <Facts
          items={[
            [
              "Target",
              <span key="target">
                <span className="font-mono text-xs">{schedule.method}</span>{" "}
                <TextLink href={href} title={schedule.targetUrl} className="inline-block leading-6">
                  {cut(schedule.targetUrl)}
                </TextLink>
              </span>,
            ],
            ["Status", <Status key="status" status={schedule.status} />],
            ["Due", <FullTime key="at" at={schedule.fireAt} zone={zone} />],
          ]}
        />
      </CardBody>
    </Card>
  );
}

/** Cut for recognition; the schedule's page has the full text. */
const SHOWN_MAX = 200;

function cut(url: string): string {
  return url.length > SHOWN_MAX ? `${url.slice(0, SHOWN_MAX)}…` : url;
}
