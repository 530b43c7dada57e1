import { formatDuration } from "../format/duration.ts";
import { DayFigures, type PunctualityFigures } from "../punctuality/day-figures.tsx";
import { Card } from "../ui/card.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { TextLink } from "../ui/text-link.tsx";

/** The punctuality of this installation in the last 24 hours. `figures` is null when they could not be read. */
export function PunctualityNow({ figures, now }: { figures: PunctualityFigures | null; now: Date }) {
  if (figures === null) {
    return (
      <Card>
        <EmptyState title="The figures did not load" art="no-match">
          <p>How punctual this installation is could not be read. Reload the page in a moment.</p>
        </EmptyState>
      </Card>
    );
  }
  const { onTimeWithinMs, updatedAt } = figures;
  return (
    <Card aria-labelledby="now" className="p-[clamp(1rem,1.7vw,1.5rem)]">
      <DayFigures figures={figures} id="now" tableHref="/status" />
      <div className="mt-3 flex flex-wrap items-start justify-between gap-x-6 gap-y-2">
        <p className="max-w-176 text-ink-muted text-xs">
          Each line is one millisecond late; the taller, the more requests (by square root). A request is late by the
          time from when it was due to its first byte, by the database’s clock. On time means within {onTimeWithinMs}{" "}
          ms. Counted are first attempts of live schedules of this installation in 24 hours.{" "}
          <span className="whitespace-nowrap">Updated {formatDuration(now.getTime() - updatedAt.getTime())} ago.</span>
        </p>
        <TextLink standalone href="/status" className="text-sm">
          How punctual it was through the day
        </TextLink>
      </div>
    </Card>
  );
}
