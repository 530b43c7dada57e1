import { formatClock, formatDayOfYear, formatInstant } from "../format/instant.ts";

/** The time of day of an instant to the millisecond, with its date unless that is `day`; the full instant on hover. */
export function ExactTime({ at, zone, day }: { at: Date; zone: string; day: Date }) {
  const ownDay = formatDayOfYear(at, zone);
  const clock = formatClock(at, zone);
  return (
    <time dateTime={at.toISOString()} title={formatInstant(at, zone)}>
      {ownDay === formatDayOfYear(day, zone) ? clock : `${ownDay}, ${clock}`}
    </time>
  );
}
