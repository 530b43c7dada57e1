import { formatClock, formatDayOfYear, formatInstant, formatShortDay, formatYear } from "../format/instant.ts";

/**
 * The time of day of an instant to the millisecond, with as much of its date as differs from `day`; the full instant on
 * hover.
 */
export function ExactTime({ at, zone, day }: { at: Date; zone: string; day: Date }) {
  return (
    <time dateTime={at.toISOString()} title={formatInstant(at, zone)}>
      {dateIn(at, zone, day)}
      {formatClock(at, zone)}
    </time>
  );
}

function dateIn(at: Date, zone: string, day: Date): string {
  const date = formatDayOfYear(at, zone);
  if (date === formatDayOfYear(day, zone)) return "";
  const isThisYear = formatYear(at, zone) === formatYear(day, zone);
  return `${isThisYear ? formatShortDay(at, zone) : date}, `;
}
