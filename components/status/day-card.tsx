import { HistogramTable } from "../charts/histogram-table.tsx";
import { DayFigures, type PunctualityFigures } from "../punctuality/day-figures.tsx";
import { Card } from "../ui/card.tsx";

/** The punctuality of the last day as a histogram and as a table. */
export function DayCard({ figures }: { figures: PunctualityFigures }) {
  return (
    <Card aria-labelledby="day" className="p-[clamp(1rem,2.4vw,2rem)]">
      <DayFigures figures={figures} id="day" tableHref="" />
      <p className="mt-3 mb-2 text-ink-muted text-xs">
        Each line is one millisecond late; the taller, the more requests (by square root). One request is enough for a
        mark.
      </p>
      <HistogramTable counts={figures.histogram} />
    </Card>
  );
}
