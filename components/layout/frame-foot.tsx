import { formatDuration } from "../format/duration.ts";
import { formatCount } from "../format/number.ts";

export type FrameUsage = { scheduled: number; limit: number; href: string };

/** When a dispatcher last reported, ms ago; null when none did within the hour. */
export type Beat = { ageMs: number | null; isAlive: boolean };

/** The foot of the navigation: the used part of the month's quota, and whether a dispatcher is running. */
export function FrameFoot({ usage, beat }: { usage: FrameUsage; beat: Beat }) {
  const share = usage.limit === 0 ? 1 : Math.min(usage.scheduled / usage.limit, 1);
  return (
    <div className="grid gap-2 text-ink-muted text-xs">
      <a href={usage.href} className="grid gap-1.5 rounded-sm py-1 hover:text-ink">
        <span className="flex flex-wrap justify-between gap-x-3">
          <span>
            {formatCount(usage.scheduled)} of {formatCount(usage.limit)}
            <span className="sr-only"> schedules</span>
          </span>{" "}
          this month
        </span>
        <svg className="h-1 w-full" aria-hidden="true">
          <rect width="100%" height="4" rx="2" className="fill-line" />
          <rect
            width={`${share * 100}%`}
            height="4"
            rx="2"
            className={usage.scheduled > usage.limit ? "fill-warn" : "fill-ink-soft"}
          />
        </svg>
      </a>
      <span className="flex items-center gap-2">
        <span className={`size-2 shrink-0 ${beat.isAlive ? "rounded-full bg-ok" : "bg-bad"}`} aria-hidden="true" />
        {beatText(beat)}
      </span>
    </div>
  );
}

function beatText({ ageMs, isAlive }: Beat): string {
  if (ageMs === null) return "No dispatcher is running";
  const ago = formatDuration(ageMs, 1);
  return isAlive ? `Dispatcher beat ${ago} ago` : `No dispatcher beat for ${ago}`;
}
