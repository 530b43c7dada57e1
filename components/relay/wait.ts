import { formatDuration } from "../format/duration.ts";

const MINUTE_MS = 60_000;

/** A wait of a retry: below a minute in seconds with at most one decimal, `1.3 s`, else as `formatDuration`. */
export function formatWait(ms: number): string {
  return ms < MINUTE_MS ? `${Math.floor(ms / 100) / 10} s` : formatDuration(ms);
}
