import type { ClockChange } from "./fire-time.ts";
import { formatInstant } from "./instant.ts";
import { writeLocalTime } from "./local-time.ts";
import { nextOccurrences, type RecurrenceTimes } from "./recurrence.ts";
import { localTimeAt, offsetMsAt } from "./zoned-time.ts";

/** An instant at which a recurrence fires, as answers have it. `local` is what clocks of its zone show then. */
export type PresentedNext = { fire_at: string; local: string; offset: string; clock_change: ClockChange };

/** The next `countMax` instants after `nowMs` (epoch ms) at which a recurrence fires, each `shareMs` later than its rule says. */
export function presentNext(
  times: RecurrenceTimes,
  { nowMs, shareMs, countMax = 5 }: { nowMs: number; shareMs: number; countMax?: number },
): PresentedNext[] {
  return nextOccurrences(times, nowMs - shareMs, countMax).map(({ atMs, clockChange }) => {
    const fireAtMs = atMs + shareMs;
    return {
      fire_at: formatInstant(fireAtMs),
      local: writeLocalTime(localTimeAt(fireAtMs, times.zone)),
      offset: writeOffset(offsetMsAt(fireAtMs, times.zone)),
      clock_change: clockChange,
    };
  });
}

/** An offset from UTC as RFC 3339 writes it, such as `+05:30`. */
function writeOffset(offsetMs: number): string {
  const minutes = Math.round(Math.abs(offsetMs) / 60_000);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${offsetMs < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
