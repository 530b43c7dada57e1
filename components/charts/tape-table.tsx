import { formatHour, formatShortDay } from "../format/instant.ts";
import { formatCount } from "../format/number.ts";
import { formatOffset } from "../format/offset.ts";
import { Disclosure } from "../ui/disclosure.tsx";
import { FigureTable } from "../ui/figure-table.tsx";
import type { TapeBucket } from "./lateness-tape.tsx";

/** The figures of a tape as a table, collapsed at first. */
export function TapeTable({ buckets, what, zone }: { buckets: readonly TapeBucket[]; what: string; zone: string }) {
  const lateness = (ms: number | null) => (ms === null ? "—" : formatOffset(ms));
  return (
    <Disclosure label="Show as table">
      <FigureTable
        caption={`Lateness by ${what}`}
        columns={[`Begins (${zone})`, "Sent", "p50", "p95"]}
        rows={buckets.map(({ startsAt, count, p50, p95 }) => ({
          key: String(startsAt.getTime()),
          cells: [
            <time key="begins" dateTime={startsAt.toISOString()}>
              {formatShortDay(startsAt, zone)}, {formatHour(startsAt, zone)}
            </time>,
            formatCount(count),
            lateness(p50),
            lateness(p95),
          ],
        }))}
      />
    </Disclosure>
  );
}
