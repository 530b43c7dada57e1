import { formatClock, formatInstant } from "../format/instant.ts";

/** The time of day of an instant to the millisecond, with its day where that is not `day`'s; the instant in full on hover. */
export function ExactTime({ at, zone, day }: { at: Date; zone: string; day: Date }) {
  const isSameDay = shortDay(at, zone) === shortDay(day, zone);
  return (
    <time dateTime={at.toISOString()} title={formatInstant(at, zone)}>
      {isSameDay ? formatClock(at, zone) : `${shortDay(at, zone)}, ${formatClock(at, zone)}`}
    </time>
  );
}

/** `27 Mar 2026`. */
function shortDay(at: Date, zone: string): string {
  return new Intl.DateTimeFormat("en-GB", { timeZone: zone, day: "numeric", month: "short", year: "numeric" }).format(
    at,
  );
}
