import { formatHour, formatShortDay } from "./instant.ts";

/** A span of time in a zone, to the minute: `27 Mar, 09:00–10:00`, `27 Mar` for a whole day, `27 Mar, 18:00 – 28 Mar, 06:00`. */
export function formatSpan(startsAt: Date, endsAt: Date, zone: string): string {
  const [day, hour] = [formatShortDay(startsAt, zone), formatHour(startsAt, zone)];
  const [lastDay, lastHour] = [formatShortDay(new Date(endsAt.getTime() - 1), zone), formatHour(endsAt, zone)];
  if (hour === "00:00" && lastHour === "00:00") return day === lastDay ? day : `${day} – ${lastDay}`;
  if (day === lastDay) return `${day}, ${hour}–${lastHour === "00:00" ? "24:00" : lastHour}`;
  return `${day}, ${hour} – ${formatShortDay(endsAt, zone)}, ${lastHour}`;
}
