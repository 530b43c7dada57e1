import { formatHour, formatShortDay } from "../format/instant.ts";
import { formatCount } from "../format/number.ts";
import { formatOffset } from "../format/offset.ts";
import { Disclosure } from "../ui/disclosure.tsx";
import { FigureTable } from "../ui/figure-table.tsx";
import type { TapeBucket } from "./lateness-tape.tsx";

/** The id of the row of a bucket in `TapeTable`. */
export const tapeRowId = ({ startsAt }: TapeBucket) => `from-${startsAt.getTime() / 1_000}`;

/** The figures of a tape as a table, collapsed at first. `hrefOf` returns where the requests of a bucket are listed. */
export function TapeTable({
  buckets,
  what,
  zone,
  hrefOf,
}: {
  buckets: readonly TapeBucket[];
  what: string;
  zone: string;
  hrefOf?: (bucket: TapeBucket) => string;
}) {
  const lateness = (ms: number | null) => (ms === null ? "—" : formatOffset(ms));
  const begins = (bucket: TapeBucket) => {
    const { startsAt, count } = bucket;
    const time = (
      <time key="begins" dateTime={startsAt.toISOString()}>
        {formatShortDay(startsAt, zone)}, {formatHour(startsAt, zone)}
      </time>
    );
    if (count === 0 || !hrefOf) return time;
    return (
      <a key="begins" href={hrefOf(bucket)} className="figure-link">
        {time}
      </a>
    );
  };
  return (
    <Disclosure label="Show as table">
      <FigureTable
        caption={`How late, by ${what}`}
        columns={[`Begins (${zone})`, "Sent", "p50", "p95"]}
        rows={buckets.map((bucket) => ({
          key: String(bucket.startsAt.getTime()),
          id: tapeRowId(bucket),
          cells: [begins(bucket), formatCount(bucket.count), lateness(bucket.p50), lateness(bucket.p95)],
        }))}
      />
    </Disclosure>
  );
}
