/**
 * The instant at which clocks in `zone` show `text` (`2026-03-27T14:34`, as `datetime-local` writes it, seconds optional);
 * null when it is no such text. Where clocks are put back it is the first of the two, where they are put forward the
 * instant as if they had not been yet. `zone` is an IANA name.
 */
export function instantOfWallClock(text: string, zone: string): Date | null {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$/.test(text)) return null;
  const asUtc = Date.parse(`${text}Z`);
  if (Number.isNaN(asUtc)) return null;
  const before = asUtc - offsetMs(new Date(asUtc - DAY_MS), zone);
  const isBefore = before + offsetMs(new Date(before), zone) === asUtc;
  const after = asUtc - offsetMs(new Date(asUtc + DAY_MS), zone);
  const isAfter = after + offsetMs(new Date(after), zone) === asUtc;
  return new Date(isAfter && !isBefore ? after : before);
}

/** What clocks in `zone` show at an instant, to the minute: `2026-03-27T14:34`. */
export function wallClockOf(at: Date, zone: string): string {
  return new Date(at.getTime() + offsetMs(at, zone)).toISOString().slice(0, 16);
}

/** When the day of an instant begins in `zone`. */
export function dayStart(at: Date, zone: string): Date {
  return instantOfWallClock(`${wallClockOf(at, zone).slice(0, 10)}T00:00`, zone) ?? at;
}

const DAY_MS = 86_400_000;

/** How far clocks in `zone` are ahead of UTC at an instant, ms. */
function offsetMs(at: Date, zone: string): number {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hourCycle: "h23",
    ...{ year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit" },
  }).formatToParts(at);
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value);
  const shown = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
  return shown - Math.floor(at.getTime() / 1_000) * 1_000;
}
