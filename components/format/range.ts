import { formatHour, formatShortDay } from "./instant.ts";
import { formatSpan } from "./span.ts";

/** A range of time with its zone: `last night: 26 Mar, 18:00 – 27 Mar, 06:00 UTC`. `isTyped`: `text` may say it in other words. */
export function formatRange(
  { text, isTyped, from, to }: { text: string; isTyped: boolean; from?: Date; to?: Date },
  zone: string,
): string {
  if (!isTyped) return `${text} ${zone}`;
  const point = (at: Date) => `${formatShortDay(at, zone)}, ${formatHour(at, zone)}`;
  const span =
    from && to ? formatSpan(from, to, zone) : from ? `since ${point(from)}` : to ? `before ${point(to)}` : "";
  return `${text}: ${span} ${zone}`;
}
