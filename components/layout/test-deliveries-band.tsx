import { RadioTower } from "lucide";
import { formatDay, formatHour } from "../format/instant.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";

/** On every page of the test environment while test keys may receive all test deliveries: until when, and the switch. */
export function TestDeliveriesBand({ until, zone, action }: { until: Date; zone: string; action: string }) {
  return (
    <form
      method="post"
      action={action}
      className="flex min-h-9 flex-wrap items-center gap-x-2 gap-y-1 border-warn-line border-b bg-test-band px-4 py-1 text-warn text-xs"
    >
      <input type="hidden" name="env" value="test" />
      <Icon of={RadioTower} small />
      <p className="min-w-0 flex-1 basis-44 sm:flex-none">
        Until{" "}
        <time dateTime={until.toISOString()}>
          {formatDay(until, zone)}, {formatHour(until, zone)} {zone}
        </time>
        , anyone with a test key can receive all test deliveries, payloads included.
      </p>
      <Button type="submit" name="switch" value="off" size="small">
        Turn this off
      </Button>
    </form>
  );
}
