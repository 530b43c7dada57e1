import { formatCount } from "../format/number.ts";
import { DayFigures, type PunctualityFigures } from "../punctuality/day-figures.tsx";
import { latenessRanges } from "../punctuality/lateness-ranges.ts";
import { Card } from "../ui/card.tsx";
import { Disclosure } from "../ui/disclosure.tsx";
import { FigureTable } from "../ui/figure-table.tsx";

/** The punctuality of the last day as a histogram and as a table. */
export function DayCard({ figures }: { figures: PunctualityFigures }) {
  return (
    <Card aria-labelledby="day" className="p-[clamp(1rem,2.4vw,2rem)]">
      <DayFigures figures={figures} id="day" />
      <p className="mt-3 mb-2 text-ink-muted text-xs">
        Each line is one millisecond of lateness; the taller, the more requests (by square root). One request is enough
        for a mark.
      </p>
      <Disclosure label="Show as table">
        <FigureTable
          caption="Requests by lateness"
          columns={["Lateness", "Requests"]}
          rows={latenessRanges(figures.histogram).map(({ label, count }) => ({
            key: label,
            cells: [label, formatCount(count)],
          }))}
        />
      </Disclosure>
    </Card>
  );
}
