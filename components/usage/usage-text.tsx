import { formatDuration } from "../format/duration.ts";
import { formatDay, formatMonth } from "../format/instant.ts";
import { formatCount, formatPercent } from "../format/number.ts";
import { Card, CardBody, CardHead } from "../ui/card.tsx";
import { Facts } from "../ui/facts.tsx";
import type { Month } from "./month-card.tsx";

/** A month's usage as text. `plan` is the display name. */
export function UsageText({ month, plan }: { month: Month; plan: string }) {
  const { scheduled, limit, graceLimit, endsAt, now } = month;
  const share = limit === 0 ? null : scheduled / limit;
  return (
    <Card>
      <CardHead title="In words" />
      <CardBody className="py-1.5">
        <Facts
          wide
          items={[
            ["Month", `${formatMonth(new Date(endsAt.getTime() - 1))} (UTC)`],
            ["Plan", plan],
            [
              "Scheduled",
              share === null ? formatCount(scheduled) : `${formatCount(scheduled)}, ${percent(share)} of the quota`,
            ],
            ["Quota", formatCount(limit)],
            [
              "Grace",
              graceLimit > limit ? `10 %: new schedules are accepted up to ${formatCount(graceLimit)}` : "none",
            ],
            ["Projection", projectionInWords(month)],
            [
              "Resets",
              <time key="resets" dateTime={endsAt.toISOString()} className="whitespace-normal">
                {formatDay(endsAt)}, 00:00 UTC, in {formatDuration(endsAt.getTime() - now.getTime())}
              </time>,
            ],
          ]}
        />
      </CardBody>
    </Card>
  );
}

const percent = (share: number) => (share > 1 ? `${Math.floor(share * 1_000) / 10} %` : `${formatPercent(share)} %`);

function projectionInWords({ projected, limit, graceLimit }: Month): string {
  if (projected === null) return "from the second day of the month on";
  const count = formatCount(projected);
  if (projected <= limit) return `${count}, inside the quota`;
  if (projected <= graceLimit) return `${count}, inside the grace`;
  return `${count}: past ${formatCount(graceLimit)} new schedules are refused`;
}
