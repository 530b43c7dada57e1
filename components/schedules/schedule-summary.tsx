import { Card, CardBody } from "../ui/card.tsx";
import { Facts } from "../ui/facts.tsx";
import { Status } from "../ui/status.tsx";
import { Target } from "../ui/target.tsx";
import { FullTime } from "../ui/time.tsx";
import type { ShownSchedule } from "./shown-schedule.ts";

/** Which schedule it is, on a page where something is about to be done with it. */
export function ScheduleSummary({ schedule, zone, href }: { schedule: ShownSchedule; zone: string; href: string }) {
  return (
    <Card aria-label="The schedule">
      <CardBody className="py-1.5!">
        <Facts
          items={[
            ["Target", <Target key="target" method={schedule.method} url={schedule.targetUrl} href={href} />],
            ["Status", <Status key="status" status={schedule.status} />],
            ["Fires", <FullTime key="at" at={schedule.fireAt} zone={zone} />],
          ]}
        />
      </CardBody>
    </Card>
  );
}
