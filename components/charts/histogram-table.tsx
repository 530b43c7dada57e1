import type { ReactNode } from "react";
import { formatLateRange } from "../format/late-range.ts";
import { formatCount } from "../format/number.ts";
import { Disclosure } from "../ui/disclosure.tsx";
import { FigureTable } from "../ui/figure-table.tsx";
import type { LatenessCount } from "./histogram-lines.ts";
import { type LatenessZone, latenessZones, zoneId } from "./lateness-zones.ts";

/** The figures of a histogram as a table, collapsed at first. Each row has the id `zoneId`. */
export function HistogramTable({
  counts,
  hrefOf,
}: {
  counts: readonly LatenessCount[];
  /** Where the requests of a zone are listed, if anywhere. */
  hrefOf?: (zone: LatenessZone) => string;
}) {
  const named = (zone: LatenessZone): ReactNode =>
    hrefOf ? (
      <a key="late" href={hrefOf(zone)} className="figure-link">
        {formatLateRange(zone)}
      </a>
    ) : (
      formatLateRange(zone)
    );
  return (
    <Disclosure label="Show as table">
      <FigureTable
        caption="Requests by how late they were"
        columns={["Late", "Sent"]}
        rows={latenessZones(counts).map((zone) => ({
          key: zoneId(zone),
          id: zoneId(zone),
          cells: [named(zone), formatCount(zone.count)],
        }))}
      />
    </Disclosure>
  );
}
